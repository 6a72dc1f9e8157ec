import Blekeep
import BlekeepHistory
import Glibc
import RunLoop
import SampleHouse

// `blekeep-house HISTORY DEVICES DAYS [STEP]`: writes the history of a house, and keeps it up to date until it is killed.
let words = CommandLine.arguments
guard words.count >= 4, let devices = Int(words[2]), let days = Double(words[3]), devices >= 0, days > 0 else {
    print("usage: blekeep-house HISTORY DEVICES DAYS [STEP]")
    exit(2)
}
var house = SampleHouse(devices: devices, length: .seconds(days * 86_400))
if words.count > 4 { house.step = try DurationText.parse(words[4]) }
let history = try History(path: words[1])
try house.write(to: history, now: WallClock.milliseconds())
print("wrote \(words[1])")
var tick = 1_000_000
while true {
    sleep(5)
    tick += 1
    let now = WallClock.milliseconds()
    let index = tick % max(1, min(2, devices))
    _ = try history.append(
        devices == 0 ? [] : house.readings(index, at: now, tick: tick), nil, house.ledger(now: now), durable: false)
}
