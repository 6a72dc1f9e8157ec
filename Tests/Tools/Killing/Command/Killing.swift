import Glibc
import Killing

/// `blekeep-killing [--every N] [VICTIM…]`: kill -9 at every step of three ticks, one after another.
/// `blekeep-killing sink [N]`: kill -9 of a poller that appends to a file, N times.
/// `blekeep-killing salvage [--smashes N] [--seed S] [--batches N] [--readings N]`: what comes back of damaged histories.
/// `blekeep-killing history [--kills N] [--images N] [--seed S]`: a history that is killed, or loses power.
@main
enum Killing {
    static func main() throws {
        var words = Array(CommandLine.arguments.dropFirst())
        try Roles.play(words)
        if words.first == "sink" { try killSink(Int(words.dropFirst().first ?? "") ?? 300) }
        if words.first == "history" { exit(try HistoryCommand.run(words.dropFirst()) ? 0 : 1) }
        if words.first == "salvage" { exit(try HistoryCommand.salvage(words.dropFirst()) ? 0 : 1) }
        var every = 1
        if let place = words.firstIndex(of: "--every"), words.indices.contains(place + 1) {
            every = max(1, Int(words[place + 1]) ?? 1)
            words.removeSubrange(place...place + 1)
        }
        let victims = words.isEmpty ? Victim.allCases : words.compactMap(Victim.init)
        var isGood = victims.count == max(words.count, 1) || words.isEmpty
        for victim in victims {
            var tried = 0
            var worst = Outcome(step: 0, what: "", time: .zero)
            var (bad, late) = (0, 0)
            while let outcome = try Trial.run(victim, at: 1 + tried * every, program: "/proc/self/exe") {
                tried += 1
                if outcome.kept > 0 { late += 1 }
                if outcome.time > worst.time { worst = outcome }
                guard !outcome.problems.isEmpty else { continue }
                bad += 1
                print("  step \(outcome.step), \(outcome.what): \(outcome.problems.joined(separator: "; "))")
                fflush(nil)
            }
            isGood = isGood && bad == 0 && tried > 0
            print(
                "\(victim.rawValue): \(tried) kills, \(late) of them after a commit of readings, \(bad) bad; readings again after \(worst.time) at most "
                    + "(step \(worst.step), \(worst.what))")
            fflush(nil)
        }
        exit(isGood ? 0 : 1)
    }

    private static func killSink(_ kills: Int) throws -> Never {
        let outcome = try SinkTrial.run(
            kills: kills, seed: .random(in: 0 ... .max), program: "/proc/self/exe")
        print("sink: \(outcome.kills) kills, \(outcome.readings) readings in \(outcome.files) files", outcome.problems)
        exit(outcome.problems.isEmpty ? 0 : 1)
    }
}
