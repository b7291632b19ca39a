import Foundation
import TestSupport
import Testing

/// `vault guard`: what a command behind the wall sees, and what not.
@Suite(.enabled(if: GuardBench.canBuild, "bubblewrap cannot make namespaces here"))
struct GuardWallTests {
  @Test func aCommandSeesItsFolderAndNoHome() throws {
    let bench = try GuardBench()
    let run = try bench.inside(
      "",
      """
      pwd; ls -A "$HOME"; echo made >file; touch "$HOME/own" && echo home
      touch /usr/x /etc/x /x 2>/dev/null || echo read-only
      ls -A /run/user/*; ls -A /tmp; ls -d /root/* /home/* 2>/dev/null; ls /proc | grep -c '^[0-9]'
      grep -h -e ^CapEff -e ^CapBnd -e ^NoNewPrivs /proc/self/status; ulimit -Hc
      """)
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.text.hasPrefix("\(bench.project)\nproject\nhome\nread-only\n"), "\(run.text)")
    #expect(
      run.text.hasSuffix(
        "CapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1\n0\n"), "\(run.text)")
    #expect(!run.text.contains("root"), "\(run.text)")
    #expect(
      try String(contentsOfFile: "\(bench.project)/file", encoding: .utf8) == "made\n")
    #expect(!FileManager.default.fileExists(atPath: "\(bench.home)/own"))
    #expect(run.errors.contains("nothing of the vault is let out"))
  }

  @Test func theStatusIsTheCommands() throws {
    let bench = try GuardBench()
    for (line, status) in [
      ("exit 0", 0), ("exit 3", 3), ("kill -KILL $$", 137),
    ] {
      #expect(try bench.inside("", line).status == Int32(status), "\(line)")
    }
    let missing = try bench.shell("\"$VAULT\" guard -- no-such-program; echo $?")
    #expect(missing.text == "127\n", "\(missing.errors)")
    let passed = try bench.shell("echo in | \"$VAULT\" -q guard -- /bin/sh -c 'cat; echo err >&2'")
    #expect(passed.text == "in\n" && passed.errors == "err\n")
  }

  /// Services have no stdin at times; what is opened next must not take its place.
  @Test(arguments: ["<&-", ">&-", "2>&-"])
  func aClosedStreamIsEmpty(_ redirection: String) throws {
    let bench = try GuardBench()
    let run = try bench.shell(
      "\"$VAULT\" -q guard -- /bin/sh -c 'readlink /proc/self/fd/0 >result; exit 7' \(redirection)")
    #expect(run.status == 7, "\(run.errors)")
  }

  @Test func aWorkingFolderThatWasRemovedIsSaid() throws {
    let bench = try GuardBench()
    let run = try bench.shell(
      "mkdir gone && cd gone && rmdir ../gone; exec \"$VAULT\" guard -- true")
    #expect(run.status == 66, "\(run.errors)")
    #expect(run.errors.contains("hint: ") && !run.errors.contains("bwrap"), "\(run.errors)")
  }

  /// A container runs as a number that no database knows.
  @Test(.enabled(if: geteuid() == 0, "needs root"))
  func aUserWithoutANameHasAWall() throws {
    let home = try TemporaryHome()
    let user = 61_234
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: home.path)
    for path in ["own", "own/project"] {
      try FileManager.default.createDirectory(
        atPath: "\(home.path)/\(path)", withIntermediateDirectories: true,
        attributes: [.ownerAccountID: user, .groupOwnerAccountID: user])
    }
    let run = try VaultProcess(home: home.path, environment: [:], executable: "/bin/sh").run([
      "-c",
      "cd '\(home.path)/own/project' && exec setpriv --reuid \(user) --regid \(user) --clear-groups "
        + "env HOME='\(home.path)/own' '\(VaultProcess.path)' guard -- /bin/sh -c 'exit 5'",
    ])
    // Where the build lies in a folder that only root enters, nobody else runs it.
    #expect(run.status == 5 || run.errors.contains("Permission denied"), "\(run.errors)")
  }

  @Test func moreIsShownByName() throws {
    let bench = try GuardBench()
    try "x".write(toFile: "\(bench.home)/other/file", atomically: true, encoding: .utf8)
    let run = try bench.inside(
      "--rw ../other --ro \"$HOME/other/file\"",
      "echo y >../other/new && echo w; cat ../other/file; echo z >../other/file || echo no")
    #expect(run.text == "w\nxno\n", "\(run.text) \(run.errors)")
    let readable = try bench.inside(
      "--ro ../other", "cat ../other/file; touch ../other/a || echo no")
    #expect(readable.text == "xno\n", "\(readable.text)")
  }

  @Test(
    arguments: [
      "--ro \"$HOME\"", "--ro /", "--rw \"$HOME/..\"", "--ro \"$HOME/.ssh\"",
      "--ro \"$HOME/.ssh/id\"", "--ro link", "--ro link/id", "--rw \"$HOME/.local/share/vault\"",
      "--ro \"$HOME/.local/share\"", "--ro \"$HOME/.local/state/vault\"", "--ro \"$HOME/key\"",
      "--ro /run", "--ro /proc", "--ro /dev", "--ro \"$XDG_RUNTIME_DIR\"", "--rw /etc", "--rw /usr",
      "--ro /tmp", "--ro ../project/../.ssh", "--ro \"$HOME/run/socket\"",
      "--rw \"${VAULT%/*}\"", "--ro /proc/self/cwd/..", "--env VAULT_KEY_FILE",
    ])
  func whatWouldShowTooMuchIsRefused(options: String) throws {
    let bench = try GuardBench()
    try FileManager.default.createSymbolicLink(
      atPath: "\(bench.project)/link", withDestinationPath: "\(bench.home)/.ssh")
    let run = try bench.shell(
      """
      /usr/bin/python3 -c 'import socket,os; socket.socket(1).bind(os.environ["HOME"]+"/run/socket")'
      exec "$VAULT" guard \(options) -- /bin/sh -c 'echo ran'
      """)
    #expect(run.status == 64 && run.text.isEmpty, "\(run.text) \(run.errors)")
    #expect(run.errors.contains("hint: "), "\(run.errors)")
  }

  @Test func theHomeIsNoWorkingFolder() throws {
    let bench = try GuardBench()
    for folder in ["$HOME", "/", "$HOME/.local/share/vault", "$HOME/.ssh", "/etc", "/proc"] {
      let run = try bench.shell("cd \"\(folder)\" && exec \"$VAULT\" guard -- echo ran")
      #expect(run.status == 64 && run.text.isEmpty, "\(folder): \(run.text) \(run.errors)")
    }
  }

  @Test func theEnvironmentIsAList() throws {
    let bench = try GuardBench()
    let secrets = [
      "GITHUB_TOKEN": "token-1", "SSH_AUTH_SOCK": "/tmp/agent-2", "VAULT_PASSPHRASE": "words-3",
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=/bus-4", "AWS_SECRET_ACCESS_KEY": "aws-5",
      "PLAIN": "passed", "DISPLAY": ":6",
    ]
    // Process 1 inside is bubblewrap, and keeps what it was started with.
    let run = try bench.inside(
      "--env PLAIN", "env; for p in /proc/[0-9]*; do tr '\\0' '\\n' <$p/environ; done",
      adding: secrets)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.contains("PLAIN=passed\n") && run.text.contains("LC_ALL=C.UTF-8\n"))
    for (name, value) in secrets where name != "PLAIN" {
      #expect(!run.text.contains(name) && !run.text.contains(value), "\(name)")
    }
    for name in ["VAULT_KEY_FILE", "OLDPWD", "SCRIPT"] {
      #expect(!run.text.contains("\(name)="), "\(name)")
    }
    let missing = try bench.inside("--env NO_SUCH", "true")
    #expect(missing.status == 64 && missing.errors.contains("'NO_SUCH' is not set"))
  }

  @Test func descriptorsStayOutside() throws {
    let bench = try GuardBench()
    let run = try bench.shell(
      """
      exec "$VAULT" -q guard -- /usr/bin/python3 -c '
      import os
      for process in ["self", "1"]:
          for name in os.listdir("/proc/%s/fd" % process):
              try: target = os.readlink("/proc/%s/fd/%s" % (process, name))
              except OSError: continue
              if int(name) > 2: print(target)
      ' 7<"$HOME/.ssh/id" 8<"$HOME" 9</
      """)
    #expect(run.status == 0, "\(run.errors)")
    for line in run.text.split(separator: "\n") {
      #expect(line.hasPrefix("/proc/") || line.hasPrefix("anon_inode:[eventfd]"), "\(line)")
    }
    // A folder leads to what is above it.
    let folder = try bench.shell("exec \"$VAULT\" guard -- echo ran <\"$HOME\"")
    #expect(folder.status == 64 && folder.text.isEmpty, "\(folder.errors)")
  }

  @Test func theKernelsKeysStayOutside() throws {
    let bench = try GuardBench()
    let opened = try bench.shell("\"$VAULT\" -q unlock && cat /proc/keys")
    #expect(opened.status == 0, "\(opened.errors)")
    let keys = """
      import ctypes, os
      libc = ctypes.CDLL(None, use_errno=True)
      number = {"x86_64": 250, "aarch64": 219}[os.uname().machine]
      def call(*words):
          return libc.syscall(number, *[ctypes.c_long(word) for word in words])
      """
    // The user's keyring by its number, which has every right for the user.
    try keys.write(toFile: "\(bench.project)/keys.py", atomically: true, encoding: .utf8)
    let number = try bench.shell(
      "/usr/bin/python3 -c 'exec(open(\"keys.py\").read()); print(call(0, -4, 0))'")
    let user = try #require(Int(number.text.trimmingCharacters(in: .newlines)))
    try #require(user > 0)
    let run = try bench.python(
      "",
      keys + """

        try: print(open("/proc/keys").read())
        except OSError: print()
        for ring in [-1, -2, -3, -4, -5, \(user)]:
            buffer = ctypes.create_string_buffer(4096)
            print(call(8, ring, -2), call(11, ring, ctypes.addressof(buffer), 4096), call(0, ring, 1))
        """)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text == "\n" + String(repeating: "-1 -1 -1\n", count: 6), "\(run.text)")
    #expect(try bench.shell("\"$VAULT\" lock -q").status == 0)
  }

  @Test func socketsOfTheSessionStayOutside() throws {
    let bench = try GuardBench()
    let name = "vault-guard-test-\(UUID().uuidString)"
    let server = """
      import os, socket, subprocess, sys
      listening = []
      for address in ["\\0\(name)", os.environ["HOME"] + "/run/bus", "/tmp/\(name)"]:
          one = socket.socket(socket.AF_UNIX); one.bind(address); one.listen(5); listening.append(one)
      end = subprocess.run([os.environ["VAULT"], "-q", "guard"] + sys.argv[1:]
                           + ["--", "/usr/bin/python3", "client.py"])
      os.unlink("/tmp/\(name)")
      os.unlink(os.environ["HOME"] + "/run/bus")
      sys.exit(end.returncode)
      """
    let client = """
      import os, socket
      for address in ["\\0\(name)", os.environ["HOME"] + "/run/bus", "/tmp/\(name)"]:
          try:
              socket.socket(socket.AF_UNIX).connect(address); print("reached")
          except OSError as error:
              print(type(error).__name__)
      try: socket.socket(40, socket.SOCK_STREAM); print("vsock")
      except OSError: pass
      print(len(open("/proc/net/dev").readlines()) - 2 if os.environ.get("TZ") else "")
      """
    try server.write(toFile: "\(bench.project)/server.py", atomically: true, encoding: .utf8)
    try client.write(toFile: "\(bench.project)/client.py", atomically: true, encoding: .utf8)
    let host = try bench.shell("exec /usr/bin/python3 server.py")
    #expect(
      host.text == "PermissionError\nFileNotFoundError\nFileNotFoundError\n\n",
      "\(host.text) \(host.errors)")
    let none = try bench.shell("TZ=UTC exec /usr/bin/python3 server.py --net none")
    #expect(
      none.text == "ConnectionRefusedError\nFileNotFoundError\nFileNotFoundError\n1\n"
        || none.text == "PermissionError\nFileNotFoundError\nFileNotFoundError\n1\n",
      "\(none.text) \(none.errors)")
  }

  @Test func rightsDoNotComeBack() throws {
    let bench = try GuardBench()
    let run = try bench.python(
      "",
      """
      import ctypes, errno, os, signal
      libc = ctypes.CDLL(None, use_errno=True)
      print(libc.unshare(0x10000000), errno.errorcode[ctypes.get_errno()])
      clone = {"x86_64": 56, "aarch64": 220}[os.uname().machine]
      result = libc.syscall(clone, ctypes.c_long(0x10000000 | 17), 0, 0, 0, 0)
      if result == 0: os._exit(0)
      print(result, errno.errorcode[ctypes.get_errno()])
      print(libc.mount(b"none", b"/tmp", b"tmpfs", 0, None), libc.chroot(b"."))
      for path in ["/proc/sys/kernel/core_pattern", "/proc/sys/vm/swappiness", "/proc/sysrq-trigger"]:
          try: os.open(path, os.O_WRONLY); print("open")
          except OSError: print("closed")
      try: os.kill(-1, 0)
      except OSError as error: print(errno.errorcode[error.errno])
      """)
    #expect(
      run.text == "-1 EPERM\n-1 EPERM\n-1 -1\nclosed\nclosed\nclosed\n"
        || run.text == "-1 EPERM\n-1 EPERM\n-1 -1\nclosed\nclosed\nclosed\nESRCH\n",
      "\(run.text) \(run.errors)")
  }

  @Test(.enabled(if: geteuid() == 0, "needs root"))
  func rootReadsNoFileThatOthersMayNot() throws {
    let run = try GuardBench().inside("", "cat /etc/shadow; ls /etc/ssl/private; id -u")
    #expect(run.text == "0\n", "\(run.text)")
  }

  @Test(.enabled(if: PythonScript.hasPexpect, "needs pexpect"))
  func aTerminalIsSharedAndNothingIsTypedIntoIt() throws {
    let bench = try GuardBench()
    let run = try PythonScript("guard_terminal").run([VaultProcess.path, bench.project, bench.home])
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test(.enabled(if: geteuid() == 0 && PythonScript.mountsItsOwn, "needs root and mounts"))
  func whatIsMissingIsSaid() throws {
    let bench = try GuardBench()
    let missing = try bench.shell(
      "unshare -m sh -c 'mount --bind /dev/null /usr/bin/bwrap; exec \"$VAULT\" guard -- echo ran'")
    #expect(missing.status == 69 && missing.text.isEmpty, "\(missing.text)")
    #expect(
      missing.errors.contains("bubblewrap is not installed")
        && missing.errors.contains("hint: install it"), "\(missing.errors)")
    let refused = try bench.shell(
      """
      unshare -Urm sh -c 'echo 0 >/proc/sys/user/max_user_namespaces
      exec "$VAULT" guard -- echo ran'
      """)
    #expect(refused.status == 69 && refused.text.isEmpty, "\(refused.text)")
    #expect(
      refused.errors.contains("cannot make namespaces here")
        && refused.errors.contains("hint: allow user namespaces"), "\(refused.errors)")
  }

  /// Landlock alone does not keep a command from sockets that have a path: without namespaces nothing
  /// is started, whoever the user is, and no option makes it otherwise.
  @Test(.enabled(if: PythonScript.mountsItsOwn, "needs mounts of its own"))
  func thereIsNoWeakerWall() throws {
    let bench = try GuardBench()
    for (option, status) in [("", Int32(69)), ("--weak", 64)] {
      let refused = try bench.shell(
        """
        unshare -Urm sh -c 'echo 0 >/proc/sys/user/max_user_namespaces
        exec "$VAULT" guard \(option) -- touch ran'
        """)
      #expect(refused.status == status && refused.text.isEmpty, "\(refused.text)")
      #expect(refused.errors.contains("vault: hint: "), "\(refused.errors)")
      #expect(!FileManager.default.fileExists(atPath: "\(bench.project)/ran"))
    }
  }

  @Test func aProgramOfTheProjectDoesNotBuildTheWall() throws {
    let bench = try GuardBench()
    try "#!/bin/sh\necho mine\n".write(
      toFile: "\(bench.project)/bwrap", atomically: true, encoding: .utf8)
    let run = try bench.shell(
      "chmod +x bwrap; PATH=.:$PATH exec \"$VAULT\" -q guard -- echo ran")
    #expect(run.text == "ran\n", "\(run.errors)")
  }
}
