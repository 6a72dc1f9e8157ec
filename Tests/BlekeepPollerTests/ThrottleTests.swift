import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

@Suite struct ThrottleTests {
    /// A signal, and which of its values a throttle of one second stores.
    private struct Course {
        var stored: [(value: Int, at: Uptime)] = []
        var replaced = 0

        /// - Parameter arrivals: when each value comes, in seconds.
        init(_ arrivals: [Double]) {
            var throttle = Throttle<Int>(.seconds(1))
            for (value, seconds) in arrivals.enumerated() {
                let now = Uptime.start + .microseconds(Int(seconds * 1_000_000))
                let due = throttle.due
                if due <= now, let waiting = throttle.release(at: due) { stored.append((waiting, due)) }
                switch throttle.admit(value, at: now) {
                case .store: stored.append((value, now))
                case .wait: break
                case .replace: replaced += 1
                }
            }
            let due = throttle.due
            if let last = throttle.release(at: due) { stored.append((last, due)) }
        }
    }

    @Test func storesTheNewestValueWhenThePeriodIsOver() {
        let course = Course([0, 0.2, 0.5, 0.7, 5])
        #expect(course.stored.map(\.value) == [0, 3, 4])
        let times: [Uptime] = [.start, .start + .seconds(1), .start + .seconds(5)]
        #expect(course.stored.map(\.at) == times)
        #expect(course.replaced == 2)
    }

    @Test func storesTheLastValueOfABurst() {
        #expect(Course([0, 0.1, 0.2]).stored.map(\.value) == [0, 2])
    }

    /// Of a thousand values a second one is stored.
    @Test func storesOneValueASecondOfAFlood() {
        let course = Course((0..<60_000).map { Double($0) / 1000 })
        #expect(course.stored.count == 61)
        #expect(course.replaced == 60_000 - 61)
        for (one, next) in zip(course.stored, course.stored.dropFirst()) {
            #expect(next.at - one.at >= .seconds(1))
            // The newest one of its second.
            #expect(next.value % 1000 == 999)
        }
    }

    /// Values that come up to 0.45 s before or after their time, by intervals from 0.1 s to 1.9 s.
    @Test(arguments: 0..<20) func keepsAllValuesOfASignalOnceASecondWithJitter(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let arrivals = (1...5000).map { Double($0) + Double(random.next() % 900) / 1000 - 0.45 }
        let course = Course(arrivals)
        #expect(course.stored.map(\.value) == Array(0..<5000))
        #expect(course.replaced == 0)
    }

    /// Intervals that are wrong by up to a tenth and never made up for, and a clock that is 5 % fast.
    @Test(arguments: [1.0, 0.95]) func keepsAllValuesOfASignalWithVaryingIntervals(mean: Double) {
        var random = SplitMix64(seed: 1)
        var now = 0.0
        let arrivals = (0..<5000).map { _ in
            now += mean + Double(random.next() % 200) / 1000 - 0.1
            return now
        }
        #expect(Course(arrivals).replaced == 0)
    }

    @Test func isIdleAfterThePeriodWithoutAWaitingValue() {
        var throttle = Throttle<Int>(.seconds(1))
        #expect(throttle.isIdle(at: .start) && throttle.due == .never)
        _ = throttle.admit(1, at: .start)
        #expect(!throttle.isIdle(at: .start + .milliseconds(800)))
        #expect(throttle.isIdle(at: .start + .seconds(1)))
        _ = throttle.admit(2, at: .start + .milliseconds(500))
        #expect(!throttle.isIdle(at: .start + .seconds(5)) && throttle.due <= .start + .seconds(1))
    }
}
