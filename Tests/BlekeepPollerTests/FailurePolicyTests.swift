import DBus
import RunLoop
import Testing

@testable import BlekeepPoller
@testable import BlekeepRecords

@Suite struct FailurePolicyTests {
    @Test(arguments: [
        (PointMemory.Request.read, true, nil as Remedy?), (.read, false, .rediscover), (.subscribe, true, .rediscover),
    ]) func `ends the tick when more than a characteristic went`(
        _ request: PointMemory.Request, _ isUp: Bool, _ ending: Remedy?
    ) {
        #expect(FailurePolicy(of: request, Remedy(.vanished), isUp: isUp).ending == ending)
    }

    @Test(arguments: [true, false]) func `relinks after a refused read only when the link went`(_ isUp: Bool) {
        #expect(
            FailurePolicy(of: .read, Remedy(.remote(name: "org.bluez.Error.InProgress", message: "")), isUp: isUp)
                .ending
                == (isUp ? nil : .relink))
    }
}
