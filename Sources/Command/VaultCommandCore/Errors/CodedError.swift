package import VaultCredentials
package import VaultExchange
package import VaultPreferences
package import VaultProtocols
package import VaultSealing
package import VaultStorage
package import VaultSync
import VaultTerminal

/// An error of a library, as ``ErrorReport`` reads it.
///
/// Each library has an error type of its own, with codes that have no exit status: that is the
/// command's business. The text of every code is one of ``CommandError/Code``'s raw values; a test
/// reads the libraries' sources and fails for one that is not.
package protocol CodedError: Error {
  /// The code's stable text.
  var codeText: String { get }
  /// One sentence that says what happened.
  var message: String { get }
  /// What helps, with the line to type where there is one.
  var advice: String? { get }
}

extension CodedError {
  package var advice: String? { nil }
}

extension CredentialError: CodedError {
  package var codeText: String { code.rawValue }
}

extension SyncError: CodedError {
  package var codeText: String { code.rawValue }

  package var advice: String? {
    let program = ProgramName.current
    return switch remedy {
    case .join:
      "\(program) sync join STORE, with an invitation; or begin: \(program) sync init STORE"
    case .joinAnew:
      "join it again by an invitation, as another machine: \(program) sync join STORE"
    case .leaveOrMove:
      "leave that one first: \(program) sync leave; if its store lies in another place now: "
        + "\(program) sync move STORE"
    case .joinAgain:
      "\(program) sync leave, and join again by an invitation of an owner or admin, or by a recovery "
        + "code: \(program) sync join STORE"
    case .stopFollowing: "stop following that one first: \(program) sync leave"
    case .followByAnotherCode:
      "ask for another code; then \(program) sync leave, and follow with that: "
        + "\(program) sync join FEED --subscription SOURCE"
    case .acceptLess:
      "if it was put back on purpose, accept that once: \(program) sync now --accept-rollback"
    case .acceptLessThere: hint.map { "\($0): the same line with --accept-rollback" }
    case .lookForFiles:
      "see whether that machine's files reach the store; or accept that once: "
        + "\(program) sync now --accept-rollback; if this machine was away for very long: "
        + "\(program) sync leave, and join again"
    case .makeAdmin:
      "make another machine an admin: \(program) sync role NAME admin; or leave all the same: "
        + "\(program) sync leave --force"
    case .makeOwner:
      "make another machine an owner, who can also do what a recovery code of this vault can: "
        + "\(program) sync role NAME owner; or leave all the same: \(program) sync leave --force"
    case nil:
      code == .deviceNotFound ? hint ?? "list them: \(program) sync devices" : hint
    }
  }
}

extension PreferenceError: CodedError {
  package var codeText: String { code.rawValue }
}

extension SealingError: CodedError {
  package var codeText: String { code.rawValue }
}

extension StorageError: CodedError {
  package var codeText: String { code.rawValue }

  package var advice: String? {
    let program = ProgramName.current
    return switch code {
    case .invalidQuery:
      "what there is: \(program) data schema STORE; conditions: \(program) help data fetch"
    case .unknownStore: "list the stores: \(program) data stores"
    case .noLocation: recovery
    default: nil
    }
  }
}

extension ExchangeError: CodedError {
  package var codeText: String { code.rawValue }

  package var advice: String? {
    switch remedy {
    case .chooseFormat: ImportSource.formatsHint
    case .describeColumns:
      "such as: \(ProgramName.current) import csv FILE --columns name,url,user,secret; or by heading: "
        + "--columns name=Title,secret=Key"
    case .read(let format): "\(ProgramName.current) import \(format.rawValue) FILE"
    case .saveAsUTF8: "save the file as UTF-8, or: iconv --from-code=CP1252 --to-code=UTF-8 FILE"
    case .exportUnencrypted: "export it as plain JSON"
    case .exportApartOrRename: "export them apart, or rename one"
    case .exportJSON: "export json"
    case .rename: "rename it first"
    case nil: nil
    }
  }
}

extension ProtocolError: CodedError {
  package var codeText: String { code.rawValue }

  package var advice: String? {
    let program = ProgramName.current
    return switch remedy {
    case .setAttribute(let name): "\(program) set ITEM --attribute \(name)=AKIA…"
    case .storeProfile(let attribute):
      "\(program) set aws/PROFILE --attribute \(attribute)=AKIA…, or feed the output of "
        + "'aws configure export-credentials' to: \(program) credential aws PROFILE store"
    case .setItem(let name): "store it: \(program) set \(Quoting.shell(name))"
    case .storeNewCredentials: "store new ones: \(program) credential aws PROFILE store"
    case .exportProfile:
      "such as: aws configure export-credentials --profile P | "
        + "\(program) credential aws P store"
    case .markItem, .addItem:
      "an item answers by its name, such as ssh/home/me/.ssh/id_ed25519, or by --attribute "
        + "askpass=/home/me/.ssh/id_ed25519; see: \(program) help credential"
    case .readSecret: "use '\(program) get' for it"
    case .keyringLine:
      "keyring get SERVICE USER, get SERVICE --mode creds, set SERVICE USER, del SERVICE USER"
    case .nameUser: "name the user in the address"
    case .takeOut(let what): "take \(what), and connect again"
    case .editByHand(let what): "\(what) yourself"
    case .choose(let words): "known: \(words.joined(separator: ", "))"
    case .exampleReference: "such as: secret://work/github#user"
    case .exampleTemplate: "such as: {{ secret://work/github#user }}; \\{{ keeps it as it is"
    case .useBase64: "use encoding=base64"
    case .setOtherSecret: "no form of it can be read there: give the item a secret of one line"
    case nil: nil
    }
  }
}
