import Blekeep
import BlekeepHistory
import BlekeepOutputs
import Glibc

/// The checks of `doctor` that read the machine's files.
struct MachineChecks: Sendable {
    /// The root folder: `/`, or a folder in tests.
    var root = "/"
    let historyPath: String?

    func run() -> [Finding] { [bluezVersion(), rfkill(), history(), putAside(), wifi()].compactMap { $0 } }

    // MARK: BlueZ

    private func bluezVersion() -> Finding? {
        guard root == "/" else { return nil }
        let command = "{ bluetoothctl --version || bluetoothd --version; } 2>/dev/null"
        guard let pipe = popen(command, "re") else { return nil }
        defer { pclose(pipe) }
        var buffer = [CChar](repeating: 0, count: 128)
        guard fgets(&buffer, Int32(buffer.count), pipe) != nil else { return nil }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return Self.judge(bluez: text)
    }

    /// - Parameter text: such as `bluetoothctl: 5.66`.
    static func judge(bluez text: String) -> Finding? {
        let word = text.split { $0 == " " || $0 == "\n" }.last ?? ""
        let parts = word.split(separator: ".").map { Int($0) }
        guard parts.count == 2, let major = parts[0], let minor = parts[1] else { return nil }
        let version = "BlueZ \(major).\(minor)"
        if (major, minor) < (5, 55) {
            return .fail("version", text: "\(version) is too old", advice: "use 5.55 or later; 5.63 or later is better")
        }
        if (major, minor) < (5, 63) {
            return .warn("version", text: "\(version) is old", advice: "5.63 or later is more reliable")
        }
        return .ok("version", text: version)
    }

    private func rfkill() -> Finding? {
        for name in SystemFile.names(in: root + "sys/class/rfkill") ?? [] {
            let folder = "\(root)sys/class/rfkill/\(name)"
            guard SystemFile.line(of: "\(folder)/type") == "bluetooth" else { continue }
            if SystemFile.line(of: "\(folder)/hard") == "1" {
                return .fail(
                    "rfkill", text: "Bluetooth is blocked by a switch", advice: "use the machine's switch or key",
                    code: .noAdapter)
            }
            if SystemFile.line(of: "\(folder)/soft") == "1" {
                return .fail(
                    "rfkill", text: "Bluetooth is blocked", advice: "'rfkill unblock bluetooth'", code: .noAdapter)
            }
            return .ok("rfkill", text: "Bluetooth is not blocked")
        }
        return nil
    }

    // MARK: The rest

    private func history() -> Finding {
        guard let historyPath else {
            return .fail(
                "history", text: "there is no place for the history",
                advice: "set HOME, or 'history:' in the configuration")
        }
        do { _ = try HistoryReader(path: historyPath) } catch HistoryError.otherVersion {
            return .fail(
                "history", text: "\(Untrusted.whole(historyPath)) was written by a newer version of blekeep",
                advice: HistoryError.startAnew)
        } catch {}
        return FileCheck(
            name: "history", path: historyPath, key: "history", createsFolders: true,
            growth: "a year of one sensor takes about 10 MiB"
        ).run()
    }

    private func putAside() -> Finding? {
        let copies = historyPath.map(HistoryCopies.all) ?? []
        guard !copies.isEmpty else { return nil }
        let isFull = copies.count(where: \.isDamaged) >= HistoryCopies.most
        return .warn(
            "put aside", text: copies.map(CopyMessages.text).joined(separator: ", "),
            advice: isFull
                ? "check the disk; then move or delete them: blekeep puts no more aside"
                : "check the disk; delete what you don't need, blekeep never does")
    }

    private func wifi() -> Finding? {
        let active = (SystemFile.names(in: root + "sys/class/net") ?? []).filter { name in
            access("\(root)sys/class/net/\(name)/wireless", F_OK) == 0
                && SystemFile.line(of: "\(root)sys/class/net/\(name)/operstate") == "up"
        }
        guard let name = active.first else { return nil }
        return .ok(
            "wifi", text: "\(Untrusted.whole(name)) is up; on 2.4 GHz it shares the air with Bluetooth: prefer 5 GHz")
    }
}
