/// Makes a class a model: its stored properties are kept by a ``ModelContainer``.
///
/// ```swift
/// @Model
/// final class Trip {
///   var name: String
///   init(name: String) { self.name = name }
/// }
/// ```
///
/// A class whose superclass is a model needs the attribute, too. Its objects are found where those
/// of the superclass are; name it when the container is made.
@attached(
  member, conformances: Observable, PersistentModel, Sendable,
  names: named(_$backingData), named(_$description), named(persistentBackingData),
  named(schemaMetadata), named(init), named(_$observationRegistrar), named(access),
  named(withMutation), named(_$changing), named(_$changed), named(_$metadata), named(_$record),
  named(_$make), named(_$writeConstants), named(_$madeDescription), named(_$first), named(_$join))
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, Sendable)
public macro Model() = #externalMacro(module: "VaultAppDataMacros", type: "ModelMacro")

/// Sets how an attribute of a model is kept.
///
/// - Parameters:
///   - options: Such as `.unique`.
///   - originalName: The name that the property had in the version before.
///   - hashModifier: Makes the schema differ from one with another modifier.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "VaultAppDataMacros", type: "AttributeMacro")

/// Sets how a relationship to other models is kept.
///
/// - Parameters:
///   - options: Such as `.unique`.
///   - deleteRule: What happens to the related models when this one is deleted.
///   - minimumModelCount: How many there must be at least; checked when saving.
///   - maximumModelCount: How many there may be; 0 for no limit.
///   - originalName: The name that the property had in the version before.
///   - inverse: The property of the related model that leads back.
///   - hashModifier: Makes the schema differ from one with another modifier.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil,
  inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "VaultAppDataMacros", type: "RelationshipMacro")

/// Leaves a property out of the store.
@attached(peer)
public macro Transient() =
  #externalMacro(module: "VaultAppDataMacros", type: "TransientMacro")

/// Says which properties, taken together, no two models of the class may share.
///
/// - Parameter constraints: Each array is a constraint of its own.
@freestanding(declaration)
public macro Unique<T>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "VaultAppDataMacros", type: "UniqueMacro") where T: PersistentModel

/// Makes queries by some properties fast.
///
/// - Parameter indices: Each array is an index of its own.
@freestanding(declaration)
public macro Index<T>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "VaultAppDataMacros", type: "IndexMacro") where T: PersistentModel

/// Makes queries by some properties fast, with a kind of index.
///
/// - Parameter indices: Each is an index of its own.
@freestanding(declaration)
public macro Index<T>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "VaultAppDataMacros", type: "IndexMacro") where T: PersistentModel

/// Gives an actor a ``ModelContext`` of its own.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() =
  #externalMacro(module: "VaultAppDataMacros", type: "ModelActorMacro")

/// Makes a property's accessors go to the backing data; ``Model()`` adds it.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_))
public macro _PersistedProperty() =
  #externalMacro(module: "VaultAppDataMacros", type: "PersistedPropertyMacro")

/// Makes a property's accessors go to the backing data by number; ``Model()`` adds it.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_))
public macro _PersistedProperty(_ index: Int) =
  #externalMacro(module: "VaultAppDataMacros", type: "PersistedPropertyMacro")

/// The same for a property that a value transformer makes data.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_))
public macro _PersistedProperty(transformable index: Int) =
  #externalMacro(module: "VaultAppDataMacros", type: "PersistedPropertyMacro")

/// Makes an initializer end by introducing the object to its storage; ``Model()`` adds it.
@attached(body)
public macro _ModelInitializer() =
  #externalMacro(module: "VaultAppDataMacros", type: "InitializerMacro")

/// Makes an initializer of a class with a superclass end by joining the values of both;
/// ``Model()`` adds it.
@attached(body)
public macro _ModelInitializer(joins: Bool) =
  #externalMacro(module: "VaultAppDataMacros", type: "InitializerMacro")
