import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs

struct Backup: FileCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the history to a file, also while blekeep polls.",
        discussion: """
            The file appears when it is complete, checked and on the disk, in place of an earlier one. A copy by 'cp' is no \
            backup: the newest readings are in a log beside the history, and the poller changes both meanwhile. To restore \
            a backup, stop the poller, delete the log (history.sqlite-wal and -shm), and put the file in place of the \
            history, with the same owner.

            Example:
              blekeep backup /mnt/backup/history.sqlite
            """)

    @Argument(help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file())
    var file: String

    @OptionGroup var common: CommonOptions

    func run() throws {
        let loaded = try Composition.loadConfiguration(options)
        let path = try Composition.readHistoryPath(loaded?.configuration)
        try StoredHistory.spare(file, history: path, configuration: loaded?.files ?? [])
        let readings = try StoredHistory.read(at: path) { reader in
            do { return try reader.backUp(to: file) } catch let error as UserError {
                throw Failure(.allFailed, error.description)
            } catch let error as HistoryError where error.path == file {
                throw Failure(.allFailed, error.asTarget)
            }
        }
        let object: JSON = .object(["state": "written", "file": .text(file), "readings": .integer(readings)])
        let sentence = "wrote \(Untrusted.whole(file)) with \(readings) reading\(readings == 1 ? "" : "s")"
        try StandardOutput().line(options.json ? object.text : sentence)
    }
}
