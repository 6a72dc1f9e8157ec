import BlekeepHistory
import BlekeepOutputs
import BlekeepRecords
import Foundation
import SampleReadings
import Testing

@testable import BlekeepServe

/// The parts of answers, as values.
@Suite struct AnswerTests {
    @Test func anEventHasTheNumberOfItsReading() throws {
        let page = EventPage([try makeStored(makeValue(.number(21.5)))], newest: 20)
        let text = String(decoding: page.bytes, as: UTF8.self)
        #expect(text.hasPrefix("id: 17\ndata: {\"time\":\"2026-11-21T03:18:00.123Z\",\"seq\":17,"))
        #expect(text.hasSuffix("}\n\n"))
        #expect(page.last == 17 && !page.isFull)
    }

    /// A name with line feeds would end an event.
    @Test func noReadingEndsItsEventEarly() throws {
        for text in hostileTexts {
            let page = EventPage(
                [try makeStored(makeValue(.text(text)), name: text, device: text)], newest: 17)
            let lines = String(decoding: page.bytes, as: UTF8.self).split(
                separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == 4 && lines[0] == "id: 17" && lines[1].hasPrefix("data: {"))
        }
    }

    @Test func withoutReadingsAPageEndsAtTheNewestNumber() {
        #expect(EventPage([], newest: 30).last == 30)
        // An older history took the place of the history.
        #expect(EventPage([], newest: 3).last == 3)
    }

    @Test func aProblemIsASentenceForPrograms() throws {
        let answer = Problem(.notFound, "there is no '/x'").answer
        #expect(answer.status == 404 && answer.type == "application/problem+json")
        guard case .bytes(let bytes) = answer.body else { return }
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"type":"about:blank","title":"Not Found","status":404,"detail":"there is no '/x'"}"# + "\n")
    }

    // MARK: Totals

    private func work(_ row: Int64, good: Int, _ name: String = "attic") -> RowActivity {
        var activity = DeviceActivity(device: name, address: BluetoothAddress(bits: 0xF000_0000_0001))
        activity.good = good
        return RowActivity(row: row, activity: activity)
    }

    @Test func totalsGrowWithTheRows() {
        var totals = WorkTotals()
        totals.add([work(7, good: 3)], newest: 7)
        #expect(totals.activities.map(\.good) == [0])
        // The newest row grows, and others follow it.
        totals.add([work(7, good: 5)], newest: 7)
        #expect(totals.activities.map(\.good) == [2])
        totals.add([work(7, good: 6), work(8, good: 10), work(9, good: 1)], newest: 9)
        #expect(totals.activities.map(\.good) == [14] && totals.row == 9)
        totals.add([work(9, good: 1)], newest: 9)
        #expect(totals.activities.map(\.good) == [14])
    }

    @Test func totalsGrowAlsoWhenADeviceIsRenamed() {
        var totals = WorkTotals()
        totals.add([work(7, good: 3)], newest: 7)
        totals.add([work(7, good: 5), work(7, good: 1, "loft")], newest: 7)
        #expect(totals.activities.map(\.good) == [3])
        totals.add([work(7, good: 5), work(7, good: 2, "loft")], newest: 7)
        #expect(totals.activities.map(\.good) == [4])
    }

    @Test func anotherHistoryDoesNotCountTwice() {
        var totals = WorkTotals()
        totals.add([work(7, good: 3)], newest: 7)
        totals.add([work(1, good: 100)], newest: 1)
        #expect(totals.activities.map(\.good) == [0])
        totals.add([work(1, good: 101)], newest: 1)
        #expect(totals.activities.map(\.good) == [1])
    }

    // MARK: The description

    @Test func theDescriptionNamesEveryPath() throws {
        let text = OpenAPI.text(version: "1.2.3")
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let paths = try #require(object?["paths"] as? [String: Any])
        #expect(Set(paths.keys) == Set(Endpoint.allCases.map(\.rawValue)))
        #expect((object?["info"] as? [String: String])?["version"] == "1.2.3")
    }

    /// An object without the fields that it may lack, and one with all.
    @Test func anObjectAndItsDescriptionHaveTheSameFields() throws {
        let table = JSONTable<Int?>([
            .maybe("first", schema: .schema("integer", meaning: "In °C.")) { .integer($0) },
            .always("known", schema: .schema("boolean")) { .boolean($0 != nil) },
            .maybeWritten("text", schema: .schema("string")) { number, bytes in
                bytes += "\"half".utf8
                guard number != nil else { return false }
                bytes += " and half\"".utf8
                return true
            },
        ])
        #expect(table.json(nil).text == #"{"known":false}"#)
        #expect(table.json(3).text == #"{"first":3,"known":true,"text":"half and half"}"#)
        #expect(
            table.schema.text
                == #"{"type":"object","required":["known"],"properties":{"#
                + #""first":{"type":"integer","description":"In °C."},"known":{"type":"boolean"},"#
                + #""text":{"type":"string"}}}"#)
        #expect(JSONTable<Int>([.maybe("a", schema: .schema("string")) { _ in nil }]).json(1).text == "{}")
    }

    @Test func theDescriptionOfADeviceIsThatOfItsObject() throws {
        let text = OpenAPI.text(version: "1.2.3")
        #expect(text.contains("\"Device\":\(DeviceList.table.schema.text)"))
        for name in ["dropped", "dropped_of", "paused_until", "latest"] {
            #expect(DeviceList.table.schema.text.contains("\"\(name)\":{"))
        }
    }
}
