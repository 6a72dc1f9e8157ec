import BlekeepRecords
import Foundation
import Testing

@testable import BlekeepConfiguration

let names = CharacteristicNames(
    find: { name in
        switch name.lowercased() {
        case "temperature": BluetoothUUID(0x2A6E)
        case "humidity": BluetoothUUID(0x2A6F)
        case "battery level": BluetoothUUID(0x2A19)
        default: nil
        }
    },
    closest: { Spelling.closest(to: $0, among: ["Temperature", "Humidity", "Battery Level"]) })

let goodText = """
    adapter: 00:1A:7D:DA:71:01      # or hci0; default: the first one
    interval: 45s
    max_links: 7
    history: /var/lib/blekeep/history.sqlite
    devices:
      - address: F0:00:00:00:00:01
        alias: greenhouse
        adapter: hci0
        interval: 60s
        mode: hold                  # auto, hold or release
        characteristics:            # default: every readable one with a known layout
          - temperature             # a SIG name or a UUID
          - 2a6f
          - uuid: 2a37
            service: 180d
            notify: true
            interval: 5m
      - address: f0-00-00-00-00-02
        alias: "Küche 2"
      - {address: F0:00:00:00:00:03}

    """

/// A folder that is gone when the test is.
final class TemporaryFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/blekeep-test-XXXXXX".utf8CString)
        path = String(cString: try #require(mkdtemp(&template)))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try write(Array(text.utf8), to: name)
    }

    @discardableResult
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        let url = URL(fileURLWithPath: "\(path)/\(name)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
        return url.path
    }
}

/// Returns the mistakes in a text, each as `line:column: sentence`.
func problems(in text: String) -> [String] {
    let part = ConfigurationPart(text, file: "f", names: names)
    let errors = ConfigurationErrors(part.problems + ConfigurationMerge([part]).problems)
    return errors.problems.map { String($0.description.dropFirst(2)) }
}
