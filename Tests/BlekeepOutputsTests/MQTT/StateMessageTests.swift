import BlekeepRecords
import RunLoop
import SampleReadings
import Testing

@testable import BlekeepOutputs

/// What one tick brought, as MQTT carries it.
@Suite struct StateMessageTests {
    private func texts(_ readings: [LiveReading], known: [FieldKey] = []) -> [String] {
        StateMessage.messages(readings, fields: { _ in known }).map { String(decoding: $0.payload(), as: UTF8.self) }
    }

    private func live(_ sequence: Int64?, _ outcome: Reading.Outcome, tick: Int = 3) throws -> LiveReading {
        LiveReading(sequence: sequence, reading: try makeReading(outcome, tick: tick))
    }

    @Test func theTagsComeLast() throws {
        let message = try #require(
            StateMessage.messages([try live(17, makeValue(.number(21.93)))], fields: { _ in [] }).first)
        let text = String(decoding: message.payload(tags: ["cellar", "cold"]), as: UTF8.self)
        #expect(text.hasSuffix(#","181a_2a6e_temperature":21.93,"tags":["cellar","cold"]}"#), "\(text)")
    }

    @Test func aTickIsOneObject() throws {
        let readings = [
            try live(17, makeValue(.number(21.93))),
            try live(18, makeValue(.integer(42), field: "humidity", unit: "%")),
        ]
        #expect(
            texts(readings) == [
                """
                {"time":"2026-11-21T03:18:00.123Z","from_seq":17,"seq":18,"tick":3,\
                "181a_2a6e_temperature":21.93,"181a_2a6e_humidity":42}
                """
            ])
    }

    @Test func anotherTickAndASecondValueBeginAnotherObject() throws {
        let readings = [
            try live(1, makeValue(.integer(1)), tick: 1), try live(2, makeValue(.integer(2)), tick: 1),
            try live(3, makeValue(.integer(3)), tick: 2),
        ]
        #expect(texts(readings).count == 3)
    }

    @Test func aFailedCharacteristicHasNoValues() throws {
        let key = FieldKey(try makeReading(), field: "temperature")
        #expect(
            texts([try live(17, makeFailure())], known: [key]) == [
                """
                {"time":"2026-11-21T03:18:00.123Z","from_seq":17,"seq":17,"tick":3,"181a_2a6e_temperature":null,\
                "errors":{"181a_2a6e":"timeout"}}
                """
            ])
    }

    @Test func aSpecialValueIsNull() throws {
        let text = try #require(texts([try live(nil, makeValue(nil, state: "unknown"))]).first)
        #expect(text.contains("\"181a_2a6e_temperature\":null"))
        #expect(!text.contains("seq"))
    }

    @Test(arguments: hostileTexts) func aNameCannotReachAKey(name: String) throws {
        var reading = try makeReading(makeValue(.integer(1), field: name), name: name)
        (reading.service, reading.characteristic) = (nil, nil)
        let key = FieldKey(reading, field: name).description
        #expect(key.utf8.count <= 129)
        #expect(key.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
    }

    @Test func aRecipeIsTheKeyAndItsFailureIsNullInItsFieldsAlone() throws {
        let key = FieldKey(try makeAnswer(), field: "cell_3")
        #expect(key.description == "jbd_cell_3")
        let failure = LiveReading(sequence: 1, reading: try makeAnswer(makeFailure()))
        let text = try #require(texts([failure], known: [key]).first)
        #expect(text.contains(#""jbd_cell_3":null"#) && text.contains(#""errors":{"jbd":"timeout"}"#), "\(text)")
        var other = try makeReading()
        other.id = failure.reading.id
        #expect(failure.reading.source != other.source && !failure.reading.isOfWholeDevice)
    }

    /// Two packets of manufacturer data with one field name are two entities.
    @Test func twoFormatsHaveKeysOfTheirOwn() throws {
        let packets = try makePackets()
        #expect(
            packets.map { FieldKey($0, field: "temperature").description } == [
                "ruuvi_temperature", "govee_temperature",
            ])
        #expect(Set(packets.map(\.source)).count == 2)
    }

    @Test func aSecondCharacteristicHasItsNumber() throws {
        var reading = try makeReading()
        reading.instance = 2
        #expect(FieldKey(reading, field: "temperature").description == "181a_2a6e_2_temperature")
    }

    /// A cellar's temperature may be the same for hours, and the sensor repeats one packet.
    @Test func whatIsSaidAgainComesAgainBeforeItExpires() throws {
        var states = PublishedStates()
        let message = StateMessage(try makeLive(makeValue(.number(21.5))))
        func comes(after seconds: Int) -> Bool {
            states.aging(of: message.device, lifetime: .seconds(120), at: .start + .seconds(seconds)) != nil
        }
        #expect(!comes(after: 1000))
        states.published(message, at: .start)
        #expect(!comes(after: 59) && comes(after: 60) && states[message.device] != nil)
        states.published(message, at: .start + .seconds(60))
        #expect(!comes(after: 119) && comes(after: 120))
    }
}
