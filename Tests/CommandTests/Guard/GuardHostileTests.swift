import Foundation
import TestSupport
import Testing

/// `vault guard`: ways through the wall that a hostile reader found.
@Suite(.enabled(if: GuardBench.canBuild, "bubblewrap cannot make namespaces here"))
struct GuardHostileTests {
  /// The program that builds the wall runs as the same user, and ends the command.
  @Test func processOneIsOutOfReach() throws {
    let run = try GuardBench().python(
      "",
      """
      import ctypes, errno, os
      for path in ["/proc/1/mem", "/proc/1/task/1/mem"]:
          for flags in [os.O_RDONLY, os.O_RDWR]:
              try: os.close(os.open(path, flags)); print("open")
              except OSError: print("closed")
      libc = ctypes.CDLL(None, use_errno=True)
      class Part(ctypes.Structure):
          _fields_ = [("start", ctypes.c_void_p), ("length", ctypes.c_size_t)]
      buffer = ctypes.create_string_buffer(8)
      stack = [line for line in open("/proc/1/maps") if "[stack]" in line][0]
      here = Part(ctypes.addressof(buffer), 8)
      there = Part(int(stack.split("-")[1].split()[0], 16) - 64, 8)
      for call in [libc.process_vm_readv, libc.process_vm_writev]:
          result = call(1, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
          print(result, errno.errorcode[ctypes.get_errno()])
      print(libc.ptrace(16, 1, 0, 0), libc.ptrace(0x4206, 1, 0, 0))
      """)
    #expect(
      run.text == String(repeating: "closed\n", count: 4) + "-1 EPERM\n-1 EPERM\n-1 -1\n",
      "\(run.text) \(run.errors)")
  }

  @Test(.enabled(if: geteuid() == 0 && PythonScript.mountsItsOwn, "needs root and mounts"))
  func socketsOfTheSystemStayOutside() throws {
    let bench = try GuardBench()
    try """
    import os, socket, subprocess, sys
    paths = ["/usr/local/share/a/socket", "/usr/local/share/socket", "/etc/opt/socket"]
    os.mkdir("/usr/local/share/a")
    listening = []
    for path in paths:
        one = socket.socket(socket.AF_UNIX); one.bind(path); one.listen(5); listening.append(one)
        os.chmod(path, 0o666)
    line = [os.environ["VAULT"], "-q", "guard", "--", "/usr/bin/python3", "client.py"] + paths
    end = subprocess.run(line)
    sys.exit(end.returncode)
    """.write(toFile: "\(bench.project)/server.py", atomically: true, encoding: .utf8)
    try """
    import socket, sys
    for path in sys.argv[1:]:
        try: socket.socket(socket.AF_UNIX).connect(path); print("reached")
        except OSError: print("no")
    """.write(toFile: "\(bench.project)/client.py", atomically: true, encoding: .utf8)
    let run = try bench.shell(
      """
      exec unshare -m sh -c 'for f in /usr/local/share /etc/opt; do mount -t tmpfs none $f; done
      exec /usr/bin/python3 server.py'
      """)
    #expect(run.text == "no\nno\nno\n", "\(run.text) \(run.errors)")
  }

  @Test(.enabled(if: geteuid() == 0, "needs root"))
  func aFolderOfTheRootIsNoLibraryByItsName() throws {
    let bench = try GuardBench()
    let folder = "/library-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try "secret".write(toFile: "\(folder)/file", atomically: true, encoding: .utf8)
    let run = try bench.inside("", "cat \(folder)/file; echo ran")
    #expect(run.text == "ran\n", "\(run.text)")
  }

  /// What the line itself opens the vault with is as secret as what the environment names.
  @Test(
    arguments: [
      "--key-file ../other/k --ro ../other", "--passphrase file:../other/k --ro ../other/k",
      "--key-file ../other/k --rw ../other", "--key-file own",
    ])
  func theKeyOfTheLineStaysOutside(options: String) throws {
    let bench = try GuardBench()
    let run = try bench.shell(
      """
      cp "$HOME/key" ../other/k; case '\(options)' in *own) cp "$HOME/key" own;; esac
      exec "$VAULT" guard \(options) -- /bin/sh -c 'echo ran'
      """)
    #expect(run.status == 64 && run.text.isEmpty, "\(run.text) \(run.errors)")
    #expect(run.errors.contains("a key of the vault"), "\(run.errors)")
  }

  /// Whoever writes the helper, or a link to the command, runs outside with the next line.
  @Test func theHelperAndLinksToTheCommandAreNotWritten() throws {
    let bench = try GuardBench()
    let made = try bench.shell(
      """
      mkdir -p "$HOME/p/bin" "$HOME/p/libexec/vault" "$HOME/l"; cp "$VAULT" "$HOME/p/bin/vault"
      ln -s "$VAULT" "$HOME/l/git-credential-vault"
      """)
    try #require(made.status == 0, "\(made.errors)")
    for line in [
      "exec \"$HOME/p/bin/vault\" guard --rw \"$HOME/p/libexec\" -- echo ran",
      "exec \"$HOME/p/bin/vault\" guard --rw \"$HOME/p/libexec/vault\" -- echo ran",
      "cd \"$HOME/p/libexec\" && exec \"$HOME/p/bin/vault\" guard -- echo ran",
      "PATH=$HOME/l:$PATH exec \"$VAULT\" guard --rw \"$HOME/l\" -- echo ran",
      "cd \"$HOME/l\" && PATH=$HOME/l:$PATH exec \"$VAULT\" guard -- echo ran",
    ] {
      let run = try bench.shell(line)
      #expect(run.status == 64 && run.text.isEmpty, "\(line): \(run.text) \(run.errors)")
    }
    // A project that has programs of its own in PATH is told of, and works.
    let own = try bench.shell(
      "mkdir -p bin; PATH=$PWD/bin:$PATH exec \"$VAULT\" guard -- echo ran")
    #expect(own.text == "ran\n" && own.errors.contains("PATH leads into"), "\(own.errors)")
  }

  /// A command that ran here before leaves a link, and waits for the next line.
  @Test func aLinkInAFolderThatIsWrittenLeadsNowhere() throws {
    let bench = try GuardBench()
    let made = try bench.shell(
      """
      echo secret >../other/file; mkdir -p own/folder; echo mine >own/folder/file
      ln -s ../other out; ln -s own/folder in; ln -s .. up; ln -s "$PWD/own/folder" "$HOME/away"
      """)
    try #require(made.status == 0, "\(made.errors)")
    for options in [
      "--ro out", "--rw out", "--ro out/file", "--ro up/other", "--rw up/other", "--ro own/../out",
      "--rw \"$HOME/project/out\"",
    ] {
      let run = try bench.inside(options, "echo ran")
      #expect(run.status == 64 && run.text.isEmpty, "\(options): \(run.text) \(run.errors)")
      #expect(run.errors.contains("leads out of it"), "\(run.errors)")
    }
    for options in ["--ro in", "--ro \"$HOME/away\"", "--ro ../other", "--rw own"] {
      let run = try bench.inside(options, "cat own/folder/file")
      #expect(run.text == "mine\n", "\(options): \(run.text) \(run.errors)")
    }
  }

  @Test func aFolderToBeReadStaysWhereItIs() throws {
    let bench = try GuardBench()
    let made = try bench.shell("mkdir -p a/b/c/d; echo x >a/b/c/d/file")
    try #require(made.status == 0, "\(made.errors)")
    let run = try bench.inside(
      "--ro a/b/c",
      """
      mv a a2 2>/dev/null || echo no; mv a/b a/b2 2>/dev/null || echo no
      mv a/b/c a/b/c2 2>/dev/null || echo no
      echo y 2>/dev/null >a/b/c/d/file || echo no; echo y >a/b/new && echo written
      """)
    #expect(run.text == "no\nno\nno\nno\nwritten\n", "\(run.text) \(run.errors)")
    let file = try String(contentsOfFile: "\(bench.project)/a/b/c/d/file", encoding: .utf8)
    #expect(file == "x\n")
  }

  @Test(
    arguments: [
      "--rw \"$HOME/.bashrc\"", "--rw \"$HOME/.config\"", "--rw \"$HOME/.config/systemd\"",
      "--rw \"$HOME/.config/systemd/user\"", "--rw \"$HOME/.local/bin\"",
      "--rw \"$HOME/.gitconfig\"",
      "--rw \"$HOME/moved\"", "--ro ../other", "--rw ../other", "--ro ../kube",
      "--ro ../kube/config",
      "--ro \"$HOME/.config/sops/age\"", "--ro \"$HOME/moved/gh\"",
    ])
  func whatRunsLaterAndWhatListensIsRefused(options: String) throws {
    let bench = try GuardBench()
    let run = try bench.shell(
      """
      cd "$HOME"; mkdir -p .config/systemd/user .config/sops/age .local/bin other/deep kube moved/gh
      touch .bashrc .gitconfig kube/config .config/sops/age/keys.txt
      export KUBECONFIG="$HOME/none:$HOME/kube/config" XDG_CONFIG_HOME="$HOME/moved"
      /usr/bin/python3 -c 'import os, socket; socket.socket(1).bind("other/deep/agent")'
      cd project; exec "$VAULT" guard \(options) -- /bin/sh -c 'echo ran'
      """)
    #expect(run.status == 64 && run.text.isEmpty, "\(run.text) \(run.errors)")
    #expect(run.errors.contains("hint: "), "\(run.errors)")
  }

  /// Root reads everything: what is replaced while the command runs must not come up.
  @Test(.enabled(if: geteuid() == 0 && PythonScript.mountsItsOwn, "needs root and mounts"))
  func whatRootReplacesStaysOutside() throws {
    let bench = try GuardBench()
    try """
    mount -t tmpfs none /etc/opt; mount -t tmpfs none /usr/local/share
    for f in /etc/opt /usr/local/share; do (umask 077; echo secret >$f/private); done
    echo open >/etc/opt/public
    cat >loop <<'END'
    cat /etc/opt/public; touch ready; until [ -e replaced ]; do sleep 0.01; done
    cat /etc/opt/private /usr/local/share/private; echo ran
    END
    "$VAULT" -q guard -- /bin/sh loop >said 2>/dev/null & guard=$!
    n=0; until [ -e ready ]; do n=$((n+1)); [ $n -lt 6000 ] || exit 9; sleep 0.01; done
    (umask 077; echo secret >/etc/opt/new); mv /etc/opt/new /etc/opt/private
    touch replaced; wait $guard; cat said
    """.write(toFile: "\(bench.project)/outside", atomically: true, encoding: .utf8)
    let run = try bench.shell("exec unshare -m sh outside")
    #expect(run.text == "open\nran\n", "\(run.text) \(run.errors)")
  }
}
