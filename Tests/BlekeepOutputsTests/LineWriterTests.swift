import BlekeepRecords
import Foundation
import SampleReadings
import Testing

@testable import BlekeepOutputs

@Suite struct LineWriterTests {
    let human = HumanLineWriter()
    var all: [any LineWriter] { [human, JSONLineWriter(), CSVLineWriter(), InfluxLineWriter()] }

    private var tags: DeviceTags {
        var device = DeviceConfiguration(address: BluetoothAddress(bits: 0xF000_0000_0001))
        device.tags = ["cold", "cellar"]
        return DeviceTags([device])
    }

    @Test func tagsOfADeviceAreAListInJSONACellInCSVAndATagOfInfluxDB() throws {
        let stored = try makeStored(makeValue(.number(21.93)))
        let json = JSONLineWriter(tags: tags).line(stored)
        #expect(json.contains(#""address":"F0:00:00:00:00:01","tags":["cold","cellar"],"service":"#), "\(json)")
        let csv = CSVLineWriter(tags: tags).line(stored)
        #expect(csv.hasSuffix(#",9108,,,"cellar,cold",,,"#), "\(csv)")
        let influx = InfluxLineWriter(tags: tags).line(stored)
        #expect(influx.contains(#",address=F0:00:00:00:00:01,tags=cellar\,cold,service="#), "\(influx)")
        #expect(!JSONLineWriter(tags: DeviceTags()).line(stored).contains("tags"))
    }

    @Test func aGatewayHasANameInEachFormat() throws {
        let stored = try makeStored(makeValue(.number(21.93)))
        let tags = DeviceTags([], gateway: "attic")
        let json = JSONLineWriter(tags: tags).line(stored)
        #expect(json.contains(#""address":"F0:00:00:00:00:01","gateway":"attic","service":"#), "\(json)")
        #expect(
            CSVLineWriter.header.hasSuffix(",gateway,logged")
                && CSVLineWriter(tags: tags).line(stored).hasSuffix(",,,attic,"))
        let influx = InfluxLineWriter(tags: tags).line(stored)
        #expect(influx.contains(",address=F0:00:00:00:00:01,gateway=attic,service="), "\(influx)")
        var configuration = PollConfiguration()
        configuration.gateway = "attic"
        #expect(DeviceTags(configuration) == tags)
    }

    @Test func aValueThatARecipeAskedForHasTheRecipeInPlaceOfACharacteristic() throws {
        let stored = StoredReading(sequence: 17, reading: try makeAnswer())
        let json = JSONLineWriter().line(stored)
        #expect(
            json.contains(
                #""address":"F0:00:00:00:00:01","recipe":"jbd","name":"JBD battery","field":"cell_3","value":3.43"#),
            "\(json)")
        #expect(CSVLineWriter().line(stored).hasSuffix(",,,JBD battery,cell_3,3.43,V,,9108,,,,jbd,,"))
        #expect(
            InfluxLineWriter().line(stored).hasPrefix("ble,device=battery,address=F0:00:00:00:00:01,recipe=jbd,field="))
        #expect(human.line(stored).contains("  Cell 3  "), "\(human.line(stored))")
    }

    @Test func aValueOfADevicesOwnMemorySaysSo() throws {
        var reading = try makeReading(makeValue(.number(21.93)))
        reading.isLogged = true
        var lines: [String] = []
        for writer in [JSONLineWriter(), CSVLineWriter(), human] as [any LineWriter] {
            var bytes: [UInt8] = []
            writer.append(LiveReading(sequence: nil, reading: reading), to: &bytes)
            lines.append(String(decoding: bytes, as: UTF8.self))
        }
        #expect(lines[0].contains(#""logged":true,"seq":null"#), "\(lines[0])")
        #expect(lines[1].hasSuffix(",,true") && lines[2].hasSuffix("21.93 °C  (logged)"))
    }

    @Test func usesTheMachinesZoneForAnyTime() {
        for time in [0, someTime, .min, .max] { #expect(abs(LocalTime.offset(at: time)) <= 86_400) }
    }

    @Test func jsonHasItsKeysInOrder() throws {
        let line = JSONLineWriter().line(try makeStored(makeValue(.number(21.93))))
        #expect(
            line == """
                {"time":"2026-11-21T03:18:00.123Z","seq":17,"tick":3,"device":"greenhouse",\
                "address":"F0:00:00:00:00:01","service":"181a","characteristic":"2a6e","name":"Temperature",\
                "field":"temperature","value":21.93,"unit":"°C","raw":"9108"}
                """)
    }

    @Test(arguments: [
        (makeValue(nil, state: "unknown"), #""value":null,"state":"unknown","unit":"°C","raw":"9108"}"#),
        (makeValue(.integer(-5), unit: nil), #""value":-5,"raw":"9108"}"#),
        (makeValue(.integer(.min), unit: nil, raw: []), #""value":-9223372036854775808,"raw":""}"#),
        (makeValue(.number(1e300), unit: nil), #""value":1e+300,"raw":"9108"}"#),
        (makeValue(.number(.nan), unit: nil), #""value":null,"raw":"9108"}"#),
        (makeValue(.number(-.infinity), unit: nil), #""value":null,"raw":"9108"}"#),
        (makeValue(.boolean(true), unit: nil), #""value":true,"raw":"9108"}"#),
        (makeValue(.text("a\"\\\n\u{7F}\u{85}\u{202E}°"), unit: nil), #""a\"\\\n\u007f\u0085\u202e°","raw":"9108"}"#),
        (makeValue(.list([.integer(1), .list([]), .text("x")]), unit: nil), #""value":[1,[],"x"],"raw":"9108"}"#),
        (makeFailure(), #""name":"Temperature","error":{"code":"timeout","message":"it does not answer"}}"#),
        (makeFailure(raw: [1]), #""error":{"code":"timeout","message":"it does not answer"},"raw":"01"}"#),
    ])
    func jsonSaysItAsItIs(outcome: Reading.Outcome, end: String) throws {
        let line = JSONLineWriter().line(try makeStored(outcome))
        #expect(line.hasSuffix(end), "\(line)")
    }

    @Test func csvHasItsColumnsAndGuardsWhatASpreadsheetWouldRun() throws {
        let writer = CSVLineWriter()
        let columns = try #require(writer.header).split(separator: ",")
        #expect(columns.count == 19 && columns.first == "time" && columns.last == "logged")
        let start = "2026-11-21T03:18:00.123Z,17,3,greenhouse,F0:00:00:00:00:01,181a,2a6e,Temperature,"
        let expected: [(Reading.Outcome, String)] = [
            (makeValue(.number(-21.93)), "temperature,-21.93,°C,,9108,,"),
            (makeValue(nil, state: "unknown"), "temperature,,°C,unknown,9108,,"),
            (makeValue(.text("=1+\"1\""), unit: nil), #"temperature,"'=1+""1""",,,9108,,"#),
            (makeValue(.text("a\r\nb"), unit: nil), #"temperature,a\u{D}\u{A}b,,,9108,,"#),
            (makeValue(.list([.integer(1), .integer(2)]), unit: nil), #"temperature,"[1,2]",,,9108,,"#),
            (makeValue(.text("a;b"), unit: nil), #"temperature,"a;b",,,9108,,"#),
            (makeFailure("no, never"), #",,,,,timeout,"no, never""#),
        ]
        for (outcome, end) in expected { #expect(try writer.line(makeStored(outcome)) == start + end + ",,,,") }
    }

    @Test(arguments: ["=1+1", "+1", "-1+A1", "@SUM(A1)", "＝1+1", "=HYPERLINK(\"x\",\"y\")"])
    func csvGuardsAliasesTagsFieldsUnitsAndStatesAgainstFormulas(text: String) throws {
        let address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
        var device = DeviceConfiguration(alias: text, address: address)
        device.tags = [text]
        let writer = CSVLineWriter(tags: DeviceTags([device]))
        checkCSV(try writer.line(makeStored(makeValue(.text(text), field: text, unit: text), name: text, device: text)))
        checkCSV(try writer.line(makeStored(makeValue(nil, field: text, state: text), name: text, device: text)))
        checkCSV(try writer.line(makeStored(makeFailure(text, code: text), device: text)))
    }

    @Test func influxEscapesAndKeepsOneTypeForEachField() throws {
        let writer = InfluxLineWriter()
        let tags = "ble,device=green\\ house,address=F0:00:00:00:00:01,service=181a,characteristic=2a6e"
        let expected: [(Reading.Outcome, String)] = [
            (
                makeValue(.number(21.93)),
                #",field=temperature,unit=°C seq=17i,tick=3i,name="Temperature",value=21.93,raw="9108""#
            ),
            (
                makeValue(.integer(5), unit: "a,b=c\\", raw: []),
                #",field=temperature,unit=a\,b\=c_ seq=17i,tick=3i,name="Temperature",value=5"#
            ),
            (
                makeValue(.boolean(true), unit: nil, raw: []),
                #",field=temperature seq=17i,tick=3i,name="Temperature",flag=true"#
            ),
            (
                makeValue(.text("say \"hi\"\\"), unit: nil, raw: []),
                #",field=temperature seq=17i,tick=3i,name="Temperature",text="say \"hi\"\\""#
            ),
            (
                makeFailure(),
                #" seq=17i,tick=3i,name="Temperature",error_code="timeout",error_message="it does not answer""#
            ),
        ]
        for (outcome, end) in expected {
            let line = writer.line(try makeStored(outcome, device: "green house"))
            #expect(line == tags + end + " 1795231080123000000")
        }
        var far = try makeStored(makeValue(.integer(1)))
        far.reading.time = .max
        #expect(writer.line(far).hasSuffix(" 9223372036854775807"))
    }

    @Test func valuesStandAlone() throws {
        let expected: [(Reading.Outcome, String)] = [
            (makeValue(.number(21.93)), "21.93"), (makeValue(.number(20)), "20"), (makeValue(.boolean(true)), "true"),
            (makeValue(.text("a\nb")), "a\\u{A}b"), (makeValue(.list([.integer(1), .integer(2)])), "[1,2]"),
            (makeValue(nil, state: "unknown"), "unknown"), (makeFailure(), ""),
        ]
        for (outcome, line) in expected { #expect(try ValueLineWriter().line(makeStored(outcome)) == line) }
    }

    @Test func flagsHaveNoLineOfTheirOwnAmongValues() throws {
        let flags = try makeStored(makeValue(.integer(6), field: "flags", unit: nil)).reading
        #expect(ValueLineWriter().hides(flags) && human.hides(flags))
        #expect(!JSONLineWriter().hides(flags) && !CSVLineWriter().hides(flags) && !InfluxLineWriter().hides(flags))
        #expect(try !ValueLineWriter().hides(makeStored(makeFailure()).reading))
    }

    @Test func peopleGetWords() throws {
        let expected: [(Reading.Outcome, String, String)] = [
            (makeValue(.number(21.93)), "Temperature", "Temperature           21.93 °C"),
            (makeValue(nil, state: "unknown"), "", "2a6e temperature      unknown"),
            (makeValue(.number(5), state: "suspect"), "Temperature", "Temperature           5 °C (suspect)"),
            (makeFailure(), "Temperature", "Temperature           failed: it does not answer"),
            (
                makeValue(.number(3), field: "energy_expended", unit: nil), "Heart Rate Measurement",
                "Heart Rate Measurement energy expended  3"
            ),
            (makeValue(.text("\u{1B}[2J"), unit: nil), "Temperature", "Temperature           \\u{1B}[2J"),
        ]
        for (outcome, name, end) in expected {
            #expect(try human.line(makeStored(outcome, name: name)) == "03:18:00  greenhouse    " + end)
        }
        let shifted = HumanLineWriter(offset: { _ in 3600 })
        #expect(try shifted.line(makeStored(makeFailure())).hasPrefix("04:18:00  "))
        let stored = try makeStored(makeFailure())
        for (hours, start) in [(20, "03:18:00  "), (21, "2026-11-21 03:18:00  "), (-4, "2026-11-21 03:18:00  ")] {
            let now = stored.reading.time + Int64(hours) * 3_600_000
            let dated = HumanLineWriter(now: { now })
            #expect(dated.line(stored).hasPrefix(start))
        }
    }

    @Test func showsTheNumberOfASecondCharacteristicOfTheSameUUID() throws {
        var stored = try makeStored(makeValue(.number(21.93)))
        stored.reading.instance = 2
        let json = JSONLineWriter().line(stored)
        #expect(json.contains(#""characteristic":"2a6e","instance":2,"name":"Temperature","field":"temperature#2","#))
        #expect(CSVLineWriter().line(stored).contains(",2a6e,Temperature,temperature#2,21.93,"))
        #expect(InfluxLineWriter().line(stored).contains(",field=temperature#2,"))
        #expect(human.line(stored) == "03:18:00  greenhouse    Temperature#2         21.93 °C")
        stored.reading.outcome = makeFailure()
        #expect(JSONLineWriter().line(stored).contains(#""instance":2,"name":"Temperature","error":"#))
    }

    @Test func marksAReadingThatCameBeforeTheClockWasSet() throws {
        var stored = try makeStored(makeValue(.number(21.93)))
        let csv = CSVLineWriter().line(stored)
        let influx = InfluxLineWriter().line(stored)
        stored.reading.isClockSet = false
        let start = #"{"time":"2026-11-21T03:18:00.123Z","clock":"not_set","seq":17,"#
        #expect(JSONLineWriter().line(stored).hasPrefix(start))
        #expect(human.line(stored).hasPrefix("03:18:00? greenhouse    Temp"))
        #expect(CSVLineWriter().line(stored) == csv && InfluxLineWriter().line(stored) == influx)
    }

    @Test func textFromAPeripheralIsHarmlessInEveryFormat() throws {
        for text in hostileTexts {
            let outcomes = [
                makeValue(.text(text), field: text, state: text, unit: text), makeFailure(text, code: text),
                makeValue(.list([.text(text), .list([.text(text)])])), makeValue(nil, state: text),
            ]
            for outcome in outcomes {
                let stored = try makeStored(outcome, name: text, device: text)
                for writer in all {
                    let line = writer.line(stored)
                    let harm = line.unicodeScalars.first(where: \.doesHarm)
                    #expect(harm == nil, "\(text.debugDescription)")
                }
                try checkJSON(stored, text: text)
                checkCSV(CSVLineWriter().line(stored))
            }
        }
    }

    @Test func showsAtMost64CharactersOfAPeripheralsText() {
        #expect(Untrusted(String(repeating: "x", count: 64)).description.count == 64)
        #expect(Untrusted(String(repeating: "x", count: 65)).description == String(repeating: "x", count: 64) + "…")
        #expect(Untrusted("a\u{200B}\u{FEFF}\u{AD}").description == "a\\u{200B}\\u{FEFF}\\u{AD}")
    }

    @Test func listsInListsWithoutEndAreCut() throws {
        var value = MeasuredValue.integer(1)
        for _ in 0..<1000 { value = .list([value]) }
        for writer in all { #expect(try writer.line(makeStored(makeValue(value))).utf8.count < 1000) }
    }

    private func checkJSON(_ stored: StoredReading, text: String) throws {
        let line = JSONLineWriter().line(stored)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        #expect(object["name"] as? String == text)
        #expect(object["device"] as? String == text)
        if let error = object["error"] as? [String: Any] { #expect(error["message"] as? String == text) }
    }

    /// Sixteen cells by RFC 4180's grammar, none of them a formula. Numbers are none.
    private func checkCSV(_ line: String) {
        var cells = [""]
        var isQuoted = false
        for scalar in line.unicodeScalars {
            if scalar == "\"" {
                isQuoted.toggle()
            } else if scalar == ",", !isQuoted {
                cells.append("")
            } else {
                cells[cells.count - 1].unicodeScalars.append(scalar)
            }
        }
        #expect(cells.count == 19 && !isQuoted, "\(line)")
        for (index, cell) in cells.enumerated() where Double(cell) == nil {
            #expect(!["=", "+", "-", "@", "＝"].contains(cell.unicodeScalars.first), "\(index): \(line)")
        }
    }
}

/// Readings that the history can't take yet.
@Suite struct UnkeptReadingTests {
    @Test func everyFormatMarksThem() throws {
        let stored = try makeStored(makeValue(.number(21.5)))
        let unkept = LiveReading(sequence: nil, reading: stored.reading)
        func line(_ writer: any LineWriter) -> String {
            var bytes: [UInt8] = []
            writer.append(unkept, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
        let csv = CSVLineWriter()
        let json = JSONLineWriter()
        let influx = InfluxLineWriter()
        let human = HumanLineWriter()
        #expect(line(csv) == csv.line(stored).replacing("Z,17,3,", with: "Z,,3,"))
        #expect(line(json) == json.line(stored).replacing(#""seq":17,"#, with: #""seq":null,"#))
        #expect(line(influx) == influx.line(stored).replacing(" seq=17i,tick", with: " tick"))
        #expect(line(human) == human.line(stored) + "  (not stored yet)")
        for writer in [csv, json, influx, human] as [any LineWriter] { #expect(line(writer) != writer.line(stored)) }
    }
}
