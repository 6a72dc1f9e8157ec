import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

/// The values that wait to be written to a device.
@Suite struct PendingWritesTests {
    private var writes = PendingWrites()

    private func request(_ number: UInt16, _ byte: UInt8 = 1) -> WriteRequest {
        WriteRequest(characteristic: BluetoothUUID(number), value: .bytes([byte]))
    }

    @Test mutating func theyComeInTheirOrder() {
        #expect(writes.add(request(1), at: .start).number == 1)
        #expect(writes.add(request(2), at: .start).number == 2)
        #expect(writes.removeFirst()?.request == request(1))
        #expect(writes.removeFirst()?.number == 2)
        #expect(writes.removeFirst() == nil && writes.isEmpty && writes.deadline == .never)
    }

    @Test mutating func aNewerValueReplacesAnOlderOne() {
        _ = writes.add(request(1, 1), at: .start)
        _ = writes.add(request(2), at: .start)
        let (number, replaced) = writes.add(request(1, 9), at: .start)
        #expect(number == 3 && replaced == 1)
        #expect(writes.waiting.map(\.request) == [request(2), request(1, 9)])
    }

    @Test mutating func thereIsABound() {
        for number in 1...PendingWrites.maxWaiting { _ = writes.add(request(UInt16(number)), at: .start) }
        #expect(writes.add(request(100), at: .start) == (nil, nil))
        let (number, replaced) = writes.add(request(1, 7), at: .start)
        #expect(number != nil && replaced == 1 && writes.waiting.count == PendingWrites.maxWaiting)
    }

    @Test mutating func whatWaitsTooLongIsTaken() {
        _ = writes.add(request(1), at: .start)
        _ = writes.add(request(2), at: .start + .seconds(1))
        let end = Uptime.start + PendingWrites.patience
        #expect(writes.deadline == end)
        #expect(writes.removeExpired(at: end).map(\.request) == [request(1)])
        #expect(writes.waiting.count == 1)
    }
}
