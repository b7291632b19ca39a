import Foundation
import Testing

/// Unsafe code lives where C lives: in the files that are named here, each with its reason.
struct UnsafeCodeTests {
  /// One line a file, sorted.
  // swift-format-ignore
  static let allowed: [String: String] = [
    "Security/SecAccessControl.swift": "a result through a pointer, as Apple's API has it",
    "Security/SecItem.swift": "a result through a pointer, as Apple's API has it",
    "Security/SecRandom.swift": "bytes into a caller's memory",
    "VaultAppData/Concurrency/ContextUse.swift": "a description by its address",
    "VaultAppData/Concurrency/ModelActor.swift": "an actor's own executor, kept unowned",
    "VaultAppData/FetchDescriptor.swift": "key paths, which are not Sendable",
    "VaultAppData/Context/ModelContext+History.swift": "casts to Sendable of values just made",
    "VaultAppData/Model/_AppData+Accessors.swift": "an object borrowed for one access",
    "VaultAppData/Model/Materialization.swift": "objects made without their initializers",
    "VaultAppData/Model/OpenArray.swift": "memcmp(3) over references",
    "VaultAppData/Model/Record.swift": "a record's owner, kept unowned",
    "VaultAppData/Model/RuntimeTricks/KeyPathHeader.swift": "the layout of key paths",
    "VaultAppData/Model/RuntimeTricks/ObjectReference.swift": "a reference taken if its object still lives",
    "VaultAppData/Model/RuntimeTricks/ReadProbe.swift": "the reference counts of a key path",
    "VaultAppData/Model/RuntimeTricks/RecordTable.swift": "records held by hand",
    "VaultAppData/Model/RuntimeTricks/StandIn.swift": "a value of zero bits",
    "VaultAppData/Model/RuntimeTricks/Unisolated.swift": "key paths to what an actor isolates",
    "VaultAppData/Model/Slots.swift": "values in place",
    "VaultAppData/Predicates/LocalizedSearch.swift": "bytes in place",
    "VaultAppData/Predicates/PredicateTranslator+Members.swift": "key paths, which are not Sendable",
    "VaultAppData/Predicates/QueryFunctions.swift": "bytes as text",
    "VaultAppData/Predicates/SortDescriptor+Models.swift": "a cast of a key path",
    "VaultAppDataMacros/ModelExpansion.swift": "the word in generated code",
    "VaultCommandCore/Auditing/BreachList.swift": "pread(2) into an array",
    "VaultCommandCore/Output/OutputFile.swift": "lstat(2)",
    "VaultCommandCore/Watching/RunWatch.swift": "poll(2), read(2), write(2)",
    "VaultCommandCore/Watching/StoreWatch.swift": "poll(2), read(2), write(2)",
    "VaultCommandCore/Watching/WatchMetrics.swift": "lstat(2), unlink(2)",
    "VaultCredentials/Clock.swift": "clock_gettime(2)",
    "VaultCredentials/Keyring/BusConnection.swift": "GDBus",
    "VaultCredentials/Keyring/BusValue.swift": "GVariant",
    "VaultCredentials/Keyring/ControlSocket.swift": "connect(2), poll(2)",
    "VaultCredentials/Keyring/KeyringOptions.swift": "getenv(3)",
    "VaultCredentials/Keyring/LibSecret.swift": "dlopen(3)",
    "VaultCredentials/Keyring/SecretSession.swift": "libsecret",
    "VaultCredentials/Keyring/ServiceConnection.swift": "libsecret",
    "VaultCredentials/Keyring/WaitFlag.swift": "pthread_cond_timedwait(3)",
    "VaultCredentials/Keys/KernelKeyring.swift": "keyctl(2)",
    "VaultCredentialsTesting/InMemoryVault.swift": "access(2), rmdir(2)",
    "VaultDBus/Connections/LocalSocket.swift": "socket(2), recv(2), send(2), poll(2)",
    "VaultDataImport/Inflate.swift": "zlib",
    "VaultDataImport/ZlibLibrary.swift": "zlib: a C string",
    "VaultDataStore/LargeValues/ExternalFiles.swift": "bytes from a column to a file",
    "VaultDefaultsTool/DefaultsTool+Edit.swift": "bytes in place",
    "VaultDefaultsTool/DefaultsTool+Journal.swift": "pipe2(2), poll(2)",
    "VaultDefaultsTool/Desktop/DefaultsTool+Recorder.swift": "pipe2(2), poll(2)",
    "VaultDefaultsTool/LazyKeys.swift": "a closure, which is not Sendable",
    "VaultDefaultsTool/LogPrefix.swift": "localtime_r(3)",
    "VaultKeyringTransport/SessionCryptography.swift": "Mbed TLS",
    "VaultOneTimeCodes/MessageAuthentication.swift": "Mbed TLS",
    "VaultOneTimeCodes/MessageDigest.swift": "Mbed TLS: C pointers",
    "VaultPasswords/Words/EFFLargeWords.swift": "a word of the list, no code",
    "VaultPreferences/CNumberFormat.swift": "vsnprintf(3)",
    "VaultPreferences/Database/DomainSealer.swift": "bytes in place",
    "VaultPreferences/HostIdentity.swift": "gethostname(2)",
    "VaultPreferences/PropertyLists/ExpatParser.swift": "expat",
    "VaultPreferences/TOML/TOMLText.swift": "toml++",
    "VaultRedaction/PrefixFilter.swift": "a look at each byte of a stream",
    "VaultSealing/AuthenticatedEncryption.swift": "libsodium",
    "VaultSealing/BoxKeyPair.swift": "libsodium",
    "VaultSealing/RawSpan+Bytes.swift": "bytes as libsodium takes them",
    "VaultSealing/KeyDerivation.swift": "libsodium",
    "VaultSealing/LockedArea.swift": "guarded memory",
    "VaultSealing/LockedBuffer.swift": "bytes in locked memory",
    "VaultSealing/LockedMemory.swift": "mmap(2), memfd_secret(2)",
    "VaultSealing/PasswordHash.swift": "libsodium; /proc/meminfo",
    "VaultSealing/RandomBytes.swift": "libsodium",
    "VaultSealing/SealedReader.swift": "libsodium",
    "VaultSealing/SecretBytes.swift": "guarded memory",
    "VaultSealing/SigningKey.swift": "libsodium",
    "VaultSealing/Sodium.swift": "libsodium",
    "VaultSealing/SecretBytes+SodiumPointers.swift": "bytes as libsodium takes them",
    "VaultSealing/UnicodeNormalization.swift": "the standard library's NFC",
    "VaultServerEngines/Curl/CurlConnection.swift": "libcurl",
    "VaultServerEngines/Curl/CurlLibrary.swift": "dlopen(3)",
    "VaultServerEngines/Etcd/EtcdWatch.swift": "poll(2), read(2), write(2)",
    "VaultServerEngines/PostgreSQL/PostgresConnection.swift": "libpq",
    "VaultServerEngines/PostgreSQL/PostgresLibrary.swift": "dlopen(3)",
    "VaultStorage/AtomicFile.swift": "bytes in place",
    "VaultStorage/BlockingThread.swift": "pthreads",
    "VaultStorage/ChangeSignal.swift": "inotify(7)",
    "VaultStorage/FileEvents.swift": "bytes in place",
    "VaultStorage/FileSignal.swift": "inotify(7), poll(2)",
    "VaultStorage/SQLite/SQLiteConnection+BusyWaiting.swift": "SQLite",
    "VaultStorage/SQLite/SQLiteConnection+JournalMode.swift": "SQLite",
    "VaultStorage/SQLite/SQLiteConnection+Tracing.swift": "SQLite",
    "VaultStorage/SQLite/SQLiteConnection.swift": "SQLite",
    "VaultStorage/SQLite/SQLiteFailure.swift": "SQLite",
    "VaultStorage/SQLite/SQLiteConnection+Functions.swift": "SQLite",
    "VaultStorage/SQLite/SQLiteHooks.swift": "SQLite",
    "VaultStorage/SQLite/SQLiteLibrary.swift": "SQLite",
    "VaultStorage/SQLite/SQLiteConnection+Maintenance.swift": "SQLite",
    "VaultStorage/SQLite/SQLiteStatement.swift": "SQLite",
    "VaultStorage/SQLite/StoreFileSystem.swift": "a VFS of SQLite",
    "VaultStorage/StoreLocation.swift": "getenv(3), getpwuid_r(3)",
    "VaultStorage/Text/Span+Words.swift": "eight bytes at once",
    "VaultStorage/System+Bytes.swift": "read(2), write(2)",
    "VaultStorage/System.swift": "system calls",
    "VaultStorage/UserFile.swift": "getcwd(3); bytes in place",
    "VaultSyncEngines/Feeds/MirrorFolder.swift": "chmod(2)",
    "VaultSyncEngines/FolderSignal.swift": "inotify(7), poll(2)",
    "VaultTerminal/Editor/EditorProcess.swift": "sigaction(2), waitpid(2)",
    "VaultTerminal/Editor/SignalWatch.swift": "pthread_sigmask(3)",
    "VaultTerminal/Process/AskpassProgram.swift": "posix_spawn(3), poll(2), waitpid(2)",
    "VaultTerminal/Process/CStrings.swift": "arguments as C strings",
    "VaultTerminal/Process/ChildProgram+Capture.swift": "poll(2), read(2), waitpid(2)",
    "VaultTerminal/Process/ChildProgram.swift": "posix_spawn(3), with C strings",
    "VaultTerminal/Masking/Execution+Masking.swift": "fork(2) and execve(2), with C strings",
    "VaultTerminal/Masking/BesideRun.swift": "poll(2), waitid(2), signal masks",
    "VaultTerminal/Masking/MaskedCapture.swift": "poll(2), waitpid(2)",
    "VaultTerminal/Masking/MaskedRun.swift": "poll(2), read(2), write(2), waitpid(2), termios(3)",
    "VaultTerminal/Masking/MaskedStreams.swift": "termios(3), pts(4)",
    "VaultTerminal/Process/DetachedProcess.swift": "chdir(2), poll(2), clock_gettime(2)",
    "VaultTerminal/Process/Execution.swift": "execve(2), with C strings",
    "VaultTerminal/Process/HelperProgram.swift": "fork(2), execve(2), with C strings",
    "VaultTerminal/Process/ProcessState.swift": "limits, signals, the environment",
    "VaultTerminal/Process/ProgramKeeper.swift": "poll(2), waitpid(2)",
    "VaultTerminal/Process/ProgramConversation.swift": "socketpair(2), send(2), poll(2), waitpid(2)",
    "VaultTerminal/Process/RawArguments.swift": "the words of the line, as C strings",
    "VaultTerminal/Masking/ProgramHandle.swift": "waitid(2), waitpid(2)",
    "VaultTerminal/Process/HeldFiles.swift": "sendmsg(2), recvmsg(2): unix(7), SCM_RIGHTS",
    "VaultTerminal/Process/SealedMemoryFile.swift": "memfd_create(2)",
    "VaultTerminal/Process/ServiceNotice.swift": "sendto(2), with a C string",
    "VaultTerminal/Process/SignalPipe.swift": "pipe2(2), sigaction(2); a handler's pipe",
    "VaultTerminal/Streams/StreamWaiting.swift": "poll(2)",
    "VaultTerminal/Prompt/QuietTerminal.swift": "termios(3), sigaction(2)",
    "VaultTerminal/Prompt/TerminalDevice.swift": "termios(3), poll(2), sigaction(2)",
    "VaultTerminal/Prompt/TerminalQuestion.swift": "termios(3), poll(2), read(2), write(2)",
    "vault-helper/MCP/MCPConnection.swift": "read(2) into an array",
    "vault-helper/SignalMask.swift": "pthread_sigmask(3)",
    "vault-helper/SocketFolder.swift": "mkdtemp(3), stat(2)",
    "VaultSSHKeys/MbedTLSKeys.swift": "Mbed TLS",
    "VaultTerminal/Process/SSHKeygen.swift": "memfd_create(2), posix_spawn(3)",
    "vault-helper/AgentSocket.swift": "lstat(2), unlink(2)",
  ]

  private static let sources = SourceTree.sources

  /// The lines of a file that say `unsafe`, comments apart.
  private static func unsafeLines(of file: String) throws -> [String] {
    // The code "unsafe-file" is none of it.
    let word = try NSRegularExpression(pattern: #"\bunsafe\b(?!-)"#)
    return try sources.lines(of: file).filter { line in
      let code = line.components(separatedBy: "//")[0]
      return word.firstMatch(in: code, range: NSRange(code.startIndex..., in: code)) != nil
    }
  }

  @Test func onlyTheNamedFilesAreUnsafe() throws {
    let files = Self.sources.swiftFiles
    #expect(files.count > 400)
    for file in files where Self.allowed[file] == nil {
      for line in try Self.unsafeLines(of: file) { Issue.record("\(file): \(line)") }
    }
  }

  /// A line of the table whose file is safe, moved or gone is taken out.
  @Test func everyNamedFileIsUnsafe() throws {
    let files = Set(Self.sources.swiftFiles)
    for file in Self.allowed.keys.sorted() {
      guard files.contains(file) else {
        Issue.record("there is no \(file)")
        continue
      }
      #expect(try !Self.unsafeLines(of: file).isEmpty, "nothing in \(file) is unsafe")
    }
  }

  /// A pointer that leaves its file leaves what keeps it valid.
  ///
  /// The Keychain's functions are exempt: code that is written for them passes `&item`.
  @Test func noPointerIsInASignatureThatOthersSee() throws {
    let word = try NSRegularExpression(
      pattern: #"^\s*(?:@\w+ )*(?:public|package) .*\b(?:Opaque|Unsafe\w*)Pointer\b"#)
    for file in Self.sources.swiftFiles where !file.hasPrefix("Security/") {
      for line in try Self.sources.lines(of: file) {
        let whole = NSRange(line.startIndex..., in: line)
        if word.firstMatch(in: line, range: whole) != nil { Issue.record("\(file): \(line)") }
      }
    }
  }
}
