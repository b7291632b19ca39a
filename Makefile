# Builds, tests and installs vault. `make help` lists the targets.

SHELL := /bin/bash
.DEFAULT_GOAL := help

SWIFT ?= swift
# In a random order of the traits, everything would be compiled again (CONTRIBUTING.md).
BUILD := SWIFT_DETERMINISTIC_HASHING=1 $(SWIFT) build
PREFIX ?= $(HOME)/.local
# For machines with HashiCorp's vault, another name: make install NAME=lvault
NAME ?= vault
DESTDIR ?=

# Empty: the lean link where it was made for this toolchain. no: the plain one, in a folder of its own.
LEAN ?=
RELEASE := .build-release$(if $(filter no,$(LEAN)),-plain)
# The built command, and where the archive and the Debian package go; tests run these rules with another command.
BINARY ?= $(RELEASE)/release/vault
DIST ?= .build-dist

BUILD_PACKAGES := libsodium-dev libsqlite3-dev libexpat1-dev libmbedtls-dev libtomlplusplus-dev zlib1g-dev pkg-config
TEST_PACKAGES := gnome-keyring gcr xvfb xdotool dbus libsecret-tools bash-completion zsh fish python3-pexpect \
	python3-jeepney python3-cryptography strace keyutils git openssh-client gnupg pass \
	keepassxc groff xclip xsel sway wl-clipboard tmux screen vim nano oathtool nodejs python3-dotenv \
	python3-secretstorage python3-keyring python3-gi gir1.2-secret-1 golang-docker-credential-helpers \
	rpm rpmlint apt-utils bubblewrap makepkg pacman-package-manager libarchive-tools fakeroot nix-bin ruby skopeo \
	python3-yaml e2fsprogs xfsprogs lintian minisign debootstrap direnv isync ansible-core ed qrencode zbar-tools python3-venv \
	dconf-cli dconf-service libglib2.0-bin gsettings-desktop-schemas libkf5config-bin \
	etcd-server etcd-client postgresql openssl rclone \
	libkf5wallet-bin libqca-qt5-2-plugins restic borgbackup msmtp neomutt wget subversion lftp s3cmd \
	mariadb-client-core bindfs $(if $(CI),openssh-server sudo user-mode-linux dosfstools)
# They come with headers, or with the libraries of such: nothing of them may change while modules are compiled.
TEST_LIBRARIES := sqlite3 libsecret-1-dev
BENCH_PACKAGES := gnome-keyring dbus libsecret-tools pass gnupg age dconf-cli libglib2.0-bin git strace time \
	python3-matplotlib

.PHONY: help build demo test test-threads simulate examples fuzz fuzz-bus lint format install uninstall deb release packages check-packages reproduce test-release debian-root quick-start first-secret picture sync-session completions snapshots docs api api-baseline bench bench-instructions hot-functions async-calls clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## Build the command as it is installed, all but glibc linked statically; LEAN=no links it plainly
	@scripts/install-packages required $(BUILD_PACKAGES) python3
	@LEAN="$(LEAN)" scripts/build-release $(RELEASE)

demo: build ## Store, read and use a secret in a throwaway home
	@scripts/install-packages optional gnome-keyring dbus libsecret-tools
	@scripts/demo $(abspath $(BINARY))

test: ## Run all tests; report how many ran, and which were skipped and why
	@scripts/install-packages required $(BUILD_PACKAGES)
	@scripts/install-packages optional $(TEST_LIBRARIES)
	@PATH="$(CURDIR)/.build-clients/bin:$$PATH" TEST_PACKAGES="$(TEST_PACKAGES)" scripts/run-tests

test-threads: ## Run the tests of app data in which threads meet under ThreadSanitizer, ROUNDS times (1)
	@scripts/install-packages required $(BUILD_PACKAGES)
	@scripts/test-threads

simulate: ## Run the schedules of machines that sync, from seed FIRST (1) to LAST (1000), optimized
	@scripts/install-packages required $(BUILD_PACKAGES)
	@scripts/simulate $(or $(FIRST),1) $(or $(LAST),1000)

examples: ## Build the programs in Examples, and run their tests
	@scripts/install-packages required $(BUILD_PACKAGES) curl
	@$(BUILD) --package-path Examples/books --scratch-path .build-examples/books
	@$(BUILD) --package-path Examples/server --scratch-path .build-examples/server
	@$(BUILD) --build-tests
	@$(SWIFT) test --skip-build --disable-xctest --filter '^AppDataTests\.ExampleTests'

lint: ## Check the style: swift format, strictly
	@$(SWIFT) format lint --strict --parallel --recursive Package.swift Sources Tests Snippets Benchmarks Examples
	@echo "lint: nothing to say"

format: ## Format all sources
	@$(SWIFT) format --in-place --recursive Package.swift Sources Tests Snippets Benchmarks Examples

install: build ## Install command, completions and man pages below PREFIX (default ~/.local)
	@scripts/install "$(DESTDIR)$(PREFIX)" "$(NAME)" "$(BINARY)"

uninstall: ## Remove what install wrote
	@scripts/uninstall "$(DESTDIR)$(PREFIX)" "$(NAME)"

deb: build ## Build the Debian package vault-swift in .build-dist
	@scripts/install-packages required dpkg binutils python3
	@scripts/build-deb "$(BINARY)" "$(DIST)" "$(NAME)"

release: build ## Build archive, Debian package and checksums in .build-dist; MINISIGN_KEY=FILE signs them
	@scripts/install-packages required dpkg binutils python3 $(if $(MINISIGN_KEY),minisign)
	@rm -rf "$(DIST)"
	@scripts/build-archive "$(BINARY)" "$(DIST)" "$(NAME)"
	@scripts/build-deb "$(BINARY)" "$(DIST)" "$(NAME)"
	@MINISIGN_KEY="$(MINISIGN_KEY)" scripts/checksums "$(DIST)"

packages: build ## Build all that it can be installed from in .build-dist; RELEASES=URL, MINISIGN_KEY, MINISIGN_PUBLIC, GPG_KEY
	@scripts/install-packages required dpkg binutils python3 $(if $(MINISIGN_KEY),minisign)
	@scripts/install-packages optional rpm apt-utils
	@rm -rf "$(DIST)"
	@RELEASES="$(RELEASES)" MINISIGN_KEY="$(MINISIGN_KEY)" MINISIGN_PUBLIC="$(MINISIGN_PUBLIC)" GPG_KEY="$(GPG_KEY)" \
	  scripts/build-packages "$(BINARY)" "$(DIST)" "$(NAME)"

check-packages: packages debian-root ## Run lintian, rpmlint, piuparts and reprotest on the packages (root)
	@scripts/install-packages optional lintian rpmlint piuparts reprotest
	@scripts/check-packages "$(DIST)" .build-root

reproduce: release ## Build the release a second time, in another folder, and compare
	@scripts/reproduce "$(DIST)" "$(NAME)"

test-release: build ## Run the command's tests against the release, lean and plain (LEAN=no builds the second one)
	@$(MAKE) --no-print-directory build LEAN=no
	@scripts/test-release .build-release .build-release-plain

debian-root: ## Make a minimal Debian in .build-root, for the tests of the release (root, debootstrap)
	@scripts/install-packages required debootstrap
	@scripts/debian-root .build-root

quick-start: release debian-root ## Record the sessions of Documentation/quick-start.md again (root, tmux)
	@scripts/quick-start .build-root "$(DIST)/$(NAME)-linux-$$(uname -m).tar.gz" Documentation/quick-start.md --renew

first-secret: packages debian-root ## Record the sessions of Documentation/first-secret.md again (root, tmux, podman with runc)
	@scripts/debian-root .build-root-python python3-venv
	@scripts/first-secret "$(DIST)" Documentation/first-secret.md --renew archive=.build-root deb=.build-root \
	  wheel=.build-root-python $(if $(shell command -v podman),image=-)

picture: build ## Draw the terminal session of the README again, from the built command
	@scripts/install-packages required tmux python3
	@scripts/picture "$(abspath $(BINARY))" Documentation/pictures/session.svg

sync-session: build ## Record the sessions of sync.md and of the guides on it again (tmux)
	@scripts/install-packages required tmux python3
	@scripts/sync-session "$(abspath $(BINARY))" Documentation/sync.md --secret --renew
	@scripts/sync-session "$(abspath $(BINARY))" Documentation/guides/team.md --renew
	@scripts/sync-session "$(abspath $(BINARY))" Documentation/guides/lost-machine.md --renew

completions: ## Regenerate completions/, and the table that completion reads
	@scripts/install-packages required $(BUILD_PACKAGES)
	@$(BUILD) --product vault
	@mkdir -p completions
	@.build/debug/vault completions bash > completions/vault.bash
	@.build/debug/vault completions zsh > completions/_vault
	@.build/debug/vault completions fish > completions/vault.fish
	@scripts/completion-grammar .build/debug/vault Sources/Command/VaultCompletion/CommandGrammar+Table.swift

async-calls: ## Make the async forms of the calls that wait, in VaultCredentials
	@scripts/async-calls > async-calls.new
	@mv async-calls.new Sources/Libraries/VaultCredentials/Async/UnlockedVault+Async.swift

snapshots: ## Regenerate the help and man pages in Tests/CommandTests/Snapshots, and Documentation/reference.md
	@scripts/install-packages required $(BUILD_PACKAGES) python3
	@$(BUILD) --product vault
	@scripts/snapshots .build/debug/vault Tests/CommandTests/Snapshots
	@scripts/reference .build/debug/vault Documentation/reference.md

fuzz: ## Fuzz the decoders, FUZZ_SECONDS each (60); TARGETS="git otpauth" for some
	@scripts/install-packages required $(BUILD_PACKAGES)
	@scripts/fuzz $(TARGETS)

fuzz-bus: ## Read a million mutated messages of D-Bus, in both byte orders
	@scripts/install-packages required $(BUILD_PACKAGES)
	@FUZZ_ROUNDS=50 $(SWIFT) test --filter MessageFuzzTests

docs: ## Build each library's documentation (DocC) in .build-docs; a warning is an error
	@scripts/install-packages required $(BUILD_PACKAGES) python3
	@$(BUILD)
	@scripts/build-docs .build-docs

api: ## Show the differences between the libraries' public API and the baseline in api/
	@scripts/install-packages required $(BUILD_PACKAGES) python3
	@$(BUILD)
	@scripts/symbol-graphs .build-api
	@scripts/api-baseline .build-api --check && echo "api: as in the baseline"

api-baseline: ## Regenerate the baseline in api/
	@scripts/install-packages required $(BUILD_PACKAGES) python3
	@$(BUILD)
	@scripts/symbol-graphs .build-api
	@scripts/api-baseline .build-api

bench: build ## Measure against peers and aims in one run; writes Benchmarks/RESULTS.md. PARTS="command growth" for some
	@scripts/install-packages required $(BENCH_PACKAGES)
	@Benchmarks/run $(abspath $(BINARY)) $(PARTS)

bench-instructions: build ## Count the instructions of everyday lines; a tenth above the table fails. UPDATE=1 renews it
	@scripts/install-packages required valgrind python3
	@Benchmarks/instructions $(abspath $(BINARY)) $(if $(UPDATE),--update)

hot-functions: ## List the functions that everyday lines run, which the link puts together
	@scripts/install-packages required $(BUILD_PACKAGES) valgrind python3
	@KEEP_SYMBOLS=1 scripts/build-release $(RELEASE)
	@Benchmarks/instructions $(abspath $(BINARY)) --functions scripts/hot-functions.txt

clean: ## Remove all build products
	rm -rf .build .build-macros .build-traits .build-threads .build-examples .build-fuzz .build-docs .build-api .build-release .build-release-plain $(DIST)
