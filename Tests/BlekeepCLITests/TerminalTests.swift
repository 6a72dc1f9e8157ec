import BlekeepReadings
import Testing

@testable import BlekeepCLI

@Suite struct TerminalTests {
    @Test func servicesThatEveryDeviceHasAreNotNamed() {
        let services: [UInt16] = [0x1800, 0x1801, 0x180F, 0x181A]
        #expect(ServiceNames.text(services.map { BluetoothUUID($0) }) == "Battery, Environmental Sensing")
    }

    @Test func tablesFitAnyWidth() {
        var table = Table(columns: [
            .init(title: "NAME", narrowest: 4), .init(title: "N", isNumeric: true),
            .init(title: "MORE", narrowest: 4, expendability: 1),
        ])
        table.rows = [["somebody with a long name", "1", "words and words"], ["氷室", "22", ""]]
        for width in 5...60 {
            for line in table.lines(width: width, on: .none) {
                #expect(DisplayWidth.of(line) <= width, "\(width): \(line)")
            }
        }
        #expect(table.lines(width: nil, on: .none)[2].hasPrefix("氷室" + String(repeating: " ", count: 21) + "  22"))
    }

    /// A terminal draws a check mark in two columns, and the joined people of a family one beside the other.
    @Test(arguments: [("Fridge ✅", 9), ("Kids 👩\u{200D}👧", 9), ("Roof ⚡\u{FE0F}", 7)])
    func aRowWithSymbolsStaysAligned(name: String, width: Int) {
        var table = Table(columns: [.init(title: "NAME"), .init(title: "N", isNumeric: true)])
        table.rows = [[.init(name), "1"], ["the longest name", "2"]]
        #expect(table.lines(width: nil, on: .none)[1] == name + String(repeating: " ", count: 16 - width) + "  1")
    }

    @Test func widthsAreColumns() {
        #expect(DisplayWidth.of("abc") == 3)
        #expect(DisplayWidth.of("氷室") == 4)
        #expect(DisplayWidth.of("e\u{301}") == 1)
        #expect(DisplayWidth.cut("氷室の", to: 4) == "氷…")
        #expect(DisplayWidth.cut("abc", to: 0) == "")
        #expect(DisplayWidth.cut("氷室の", to: 4, keepsEnd: true) == "…の")
        #expect(DisplayWidth.cut(sentence: "20.5 °C, 42.02 %", to: 12) == "20.5 °C, …")
        #expect(DisplayWidth.cut(sentence: "20.5 °C, 42.02 %", to: 16) == "20.5 °C, 42.02 %")
        #expect(DisplayWidth.cut(sentence: "unbreakable", to: 5) == "unbr…")
        #expect(DisplayWidth.cut(list: "20.5 °C, 42.02 %", to: 16) == "20.5 °C, 42.02 %")
        #expect(DisplayWidth.cut(list: "20.5 °C, 42.02 %", to: 15) == "20.5 °C …")
        #expect(DisplayWidth.cut(list: "unknown to BlueZ, configured", to: 13) == "unknown to …")
        #expect(DisplayWidth.cut("F0:00:00:00:00:01", to: 9, keepsEnd: true) == "…00:00:01")
    }

    @Test func sparklinesTakeAnyNumbers() {
        #expect(Sparkline.text([0, 7, 3.5]) == "▁█▅")
        #expect(Sparkline.text([1, 1]) == "▄▄")
        #expect(Sparkline.text([-Double.greatestFiniteMagnitude, Double.greatestFiniteMagnitude]).count == 2)
        #expect(Sparkline.text([]) == "")
    }

    @Test func noColorPrintsNoEscapes() {
        #expect(Terminal.none.paint("x", as: .bad) == "x")
        let terminal = Terminal(isInteractive: true, hasColor: true) { (80, 24) }
        #expect(terminal.paint("x", as: .bad) == "\u{1B}[31mx\u{1B}[0m")
    }

    @Test func reportsAreMasked() {
        let text = Mask.masked(
            "hci0 00:1A:7D:DA:71:00 on\npassword: hunter2\nmqtt_token: abc\n/dev_F0_00_00_00_00_01/x")
        #expect(text == "hci0 00:1A:7D:XX:XX:XX on\npassword: ***\nmqtt_token: ***\n/dev_F0_00_00_XX_XX_XX/x")
        #expect(Mask.masked("ü: 00:1A:7D:DA:71:0") == "ü: 00:1A:7D:DA:71:0")
    }

    @Test func bluezVersionsAreJudged() {
        #expect(MachineChecks.judge(bluez: "bluetoothctl: 5.50\n")?.state == .fail)
        #expect(MachineChecks.judge(bluez: "5.60")?.state == .warn)
        #expect(MachineChecks.judge(bluez: "bluetoothctl: 5.82")?.state == .ok)
        #expect(MachineChecks.judge(bluez: "what?") == nil)
    }
}
