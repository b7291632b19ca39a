import Foundation

final class Plain {
  var n = 1
  var opt: Int?
  var kind = "x"
  var note: String?
  var ratio = 0.5
  var done = false
  var tags = ["x", "ab"]
}
