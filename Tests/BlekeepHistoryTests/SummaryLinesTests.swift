import BlekeepRecords
import Foundation
import SampleReadings
import Testing

@testable import BlekeepHistory

@Suite struct SummaryLinesTests {
    @Test func textFromAPeripheralIsHarmlessInSummaries() throws {
        let address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
        for text in hostileTexts {
            let summary = Summary(
                start: someTime, period: .hour, id: DeviceID(address), device: text, address: address,
                key: SeriesKey(ReadingSource(instance: 2), field: text, unit: text), name: text, count: 1,
                minimum: .nan, mean: .infinity,
                maximum: nil, last: .text(text))
            var (csv, json): ([UInt8], [UInt8]) = ([], [])
            SummaryLines.appendCSV(summary, to: &csv)
            SummaryLines.appendJSON(summary, to: &json)
            for bytes in [csv, json, Array(SummaryLines.measured(summary).utf8)] {
                let line = String(decoding: bytes, as: UTF8.self)
                #expect(line.unicodeScalars.first(where: \.doesHarm) == nil, "\(text.debugDescription)")
            }
            let object = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
            #expect(object["last"] as? String == text && object["field"] as? String == "\(text)#2")
        }
    }

    @Test(arguments: ["=1+1", "@x", "-y", "+z"]) func noCellOfASummaryIsAFormula(text: String) throws {
        let address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
        let summary = Summary(
            start: someTime, period: .hour, id: DeviceID(address), device: text, address: address,
            key: SeriesKey(ReadingSource(), field: text, unit: text), name: text, count: 1, minimum: -1,
            mean: -1, maximum: -1, last: .text(text))
        var csv: [UInt8] = []
        SummaryLines.appendCSV(summary, to: &csv)
        let line = String(decoding: csv, as: UTF8.self)
        #expect(!line.contains(",\(text)") && line.contains(",'\(text),") && line.contains(",-1"), "\(line)")
    }
}
