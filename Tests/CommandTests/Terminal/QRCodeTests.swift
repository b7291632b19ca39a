import Foundation
import TestSupport
import Testing

/// QR codes drawn by the real qrencode, and read back by a scanner: Scripts/qr.py.
struct QRCodeTests {
  @Test(
    .enabled(
      if: PythonScript.hasPexpect && has("qrencode") && has("zbarimg"),
      "needs python3-pexpect, qrencode and zbar-tools"))
  func aScannerReadsTheSecret() throws {
    let home = try TemporaryHome()
    let result = try PythonScript("qr").run([VaultProcess.path, home.path])
    #expect(result.status == 0, "\(result.errors)")
  }

  private static func has(_ program: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
  }
}
