// A file imports this module in place of Foundation; of two types of one name, Swift takes the one
// of the module that re-exports the other.
@_exported public import Foundation
