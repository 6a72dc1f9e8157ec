import Glibc
import Killing

/// `blekeep-killing history`: kills at any moment of commits and upkeep, and power cuts.
enum HistoryCommand {
    /// - Returns: whether all went well.
    static func run(_ words: ArraySlice<String>) throws -> Bool {
        let seed = UInt64(number("--seed", 1, words))
        let (kills, images) = (number("--kills", 10_000, words), number("--images", 2000, words))
        var said = 0
        let killed = try HistoryKills.run(kills, seed: seed, program: "/proc/self/exe") { tally in
            guard tally.kills >= said + 1000 else { return }
            said = tally.kills
            say("  \(tally.kills) kills, \(tally.problems.count) bad")
        }
        let moments = killed.moments.sorted { $0.value > $1.value }.map { "\($0.value) \($0.key)" }
        say("kills: \(killed.kills) (\(moments.joined(separator: ", ")))")
        say(
            "  \(killed.readings) readings acknowledged, \(killed.trimmed) of them made room; opened within "
                + "\(killed.slowestOpening); \(killed.problems.count) bad")
        for problem in killed.problems { say("  \(problem)") }
        let torn = try TornImages.run(images, seed: seed)
        say(
            "torn images: \(torn.images), \(torn.shortened) without the newest commits, \(torn.readings) readings recounted; opened within \(torn.slowestOpening); \(torn.problems.count) bad"
        )
        for problem in torn.problems { say("  \(problem)") }
        return killed.problems.isEmpty && torn.problems.isEmpty
    }

    private static func number(_ name: String, _ otherwise: Int, _ words: ArraySlice<String>) -> Int {
        words.firstIndex(of: name).flatMap { words.dropFirst($0 - words.startIndex + 1).first }.flatMap { Int($0) }
            ?? otherwise
    }

    /// - Returns: whether no history lost more than it must.
    static func salvage(_ words: ArraySlice<String>) throws -> Bool {
        let smashes = number("--smashes", 200, words)
        if smashes > 0 {
            say("damaged: histories, readings back, of the worst, other rows back, wrong readings")
            let seed = UInt64(number("--seed", 1, words))
            _ = try SalvageTrial.run(smashes, seed: seed, batches: number("--batches", 10_000, words)) { place, tally in
                let readings = Double(tally.readingsBack) / Double(max(1, tally.readings))
                let others = Double(tally.othersBack) / Double(max(1, tally.others))
                say(
                    "\(place): \(tally.histories), \(readings * 100) %, \(tally.worst * 100) %, \(others * 100) %, \(tally.wrong)"
                )
            }
        }
        let readings = number("--readings", 2_000_000, words)
        guard readings > 0 else { return true }
        let speed = try SalvageTrial.time(readings: readings)
        let seconds = speed.total / .seconds(1)
        say(
            "\(speed.readings) of \(readings) readings in \(speed.slices) slices and \(speed.total), "
                + "\(Int(Double(speed.readings) / seconds)) a second; none in the first \(speed.idleSlices) slices; "
                + "the longest took \(speed.longest)")
        return true
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
