import Blekeep
import Testing

@testable import Swarming

/// S6: published readings, compared with stored ones.
@Suite struct PublicationsTests {
    private func reading(_ time: Int64) throws -> Reading {
        let address = try #require(BluetoothAddress("F0:00:00:00:00:01"))
        return Reading(
            time: time, tick: 1, device: "sensor", address: address, service: nil, characteristic: nil,
            name: "temperature", outcome: .failure(ReadingFailure(.silent, "no answer"), raw: nil))
    }

    @Test func eachKeptReadingIsPublishedOnceAndInOrder() throws {
        var publications = Publications()
        let flaws = try [1, 2, 2, 4, 5].map { sequence in
            publications.publishes(
                LiveReading(sequence: sequence, reading: try reading(sequence)), isRefusing: false, kept: 4)
        }
        #expect(flaws.map { $0 == nil } == [true, true, false, false, false])
    }

    @Test func readingsPublishedEarlierAreNotPublishedAgain() throws {
        var publications = Publications()
        let shown = publications.publishes(
            LiveReading(sequence: nil, reading: try reading(1)), isRefusing: true, kept: 0)
        let needless = publications.publishes(
            LiveReading(sequence: nil, reading: try reading(2)), isRefusing: false, kept: 0)
        #expect(shown == nil && needless != nil)
        publications.keeps([
            StoredReading(sequence: 1, reading: try reading(1)), StoredReading(sequence: 2, reading: try reading(3)),
        ])
        let next = publications.publishes(
            LiveReading(sequence: 2, reading: try reading(3)), isRefusing: false, kept: 2)
        #expect(next == nil)
    }

    @Test func readingsOfASlowWriteThatMendsTheStoreAreNotPublishedAgain() throws {
        var publications = Publications()
        publications.keeps([StoredReading(sequence: 1, reading: try reading(1))])
        let shown = publications.publishes(
            LiveReading(sequence: nil, reading: try reading(1)), isRefusing: true, kept: 1)
        publications.keeps([StoredReading(sequence: 2, reading: try reading(2))])
        let next = publications.publishes(
            LiveReading(sequence: 2, reading: try reading(2)), isRefusing: false, kept: 2)
        #expect(shown == nil && next == nil)
    }
}
