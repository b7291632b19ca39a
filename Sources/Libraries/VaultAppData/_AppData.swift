@_exported public import Foundation
@_exported public import Observation

@_exported public import protocol VaultSealing.DataKeyProvider
@_exported public import class VaultSealing.SecretBytes
@_exported public import struct VaultStorage.FileStore

/// The names that generated code uses.
///
/// The module itself may be known to a program by another name (`-module-alias`), and a model may
/// have the name of any type; an enum of the module is found in both cases.
public enum _AppData {
  /// See ``VaultAppData/BackingData``.
  public typealias BackingData = VaultAppData.BackingData
  /// See ``VaultAppData/PersistentModel``.
  public typealias PersistentModel = VaultAppData.PersistentModel
  /// See ``VaultAppData/Schema``.
  public typealias Schema = VaultAppData.Schema
  /// See ``VaultAppData/ModelContainer``.
  public typealias ModelContainer = VaultAppData.ModelContainer
  /// See ``VaultAppData/ModelContext``.
  public typealias ModelContext = VaultAppData.ModelContext
  /// See ``VaultAppData/ModelActor``.
  public typealias ModelActor = VaultAppData.ModelActor
  /// See ``VaultAppData/ModelExecutor``.
  public typealias ModelExecutor = VaultAppData.ModelExecutor
  /// See ``VaultAppData/DefaultSerialModelExecutor``.
  public typealias DefaultSerialModelExecutor = VaultAppData.DefaultSerialModelExecutor
}

extension _AppData {
  /// The stand-in for a stored property whose value lies in the backing data.
  public struct NoType: Sendable {
    /// Makes the only value.
    @inlinable public init() {}
  }
}
