import GRDBSQLite
import Glibc
import Synchronization

/// SQLite's file calls, with a record of their effects.
enum RecordedCalls {
    private typealias File = UnsafeMutablePointer<sqlite3_file>

    private struct Open: @unchecked Sendable {
        var name: String
        var record: DiskRecord
        /// SQLite's own calls for this file.
        var own: UnsafePointer<sqlite3_io_methods>
    }

    private struct State {
        var files: [UInt: Open] = [:]
        /// The replaced method tables by SQLite's own ones. A database has another table than its log.
        var calls: [UInt: UInt] = [:]
    }

    private static let state = Mutex(State())
    /// SQLite's own.
    private nonisolated(unsafe) static let system = sqlite3_vfs_find(nil)
    /// Makes them SQLite's first choice, once.
    static let isInstalled: Bool = {
        guard let system else { return false }
        let calls = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        calls.initialize(to: system.pointee)
        calls.pointee.pNext = nil
        calls.pointee.zName = UnsafePointer(strdup("recorded"))
        calls.pointee.xOpen = { _, name, file, flags, result in
            let code = RecordedCalls.system?.pointee.xOpen?(RecordedCalls.system, name, file, flags, result)
            if code == SQLITE_OK, let file, let name { RecordedCalls.follow(file, String(cString: name)) }
            return code ?? SQLITE_CANTOPEN
        }
        calls.pointee.xDelete = { _, name, sync in
            if let name {
                let path = String(cString: name)
                DiskRecord.recording(path)?.remove(path)
            }
            return RecordedCalls.system?.pointee.xDelete?(RecordedCalls.system, name, sync) ?? SQLITE_IOERR
        }
        return sqlite3_vfs_register(calls, 1) == SQLITE_OK
    }()

    private static func follow(_ file: File, _ name: String) {
        guard let record = DiskRecord.recording(name), let own = file.pointee.pMethods else { return }
        let calls = state.withLock { state in
            state.files[UInt(bitPattern: file)] = Open(name: name, record: record, own: own)
            if let calls = state.calls[UInt(bitPattern: own)] { return calls }
            let calls = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            calls.initialize(to: recorded(own.pointee))
            state.calls[UInt(bitPattern: own)] = UInt(bitPattern: calls)
            return UInt(bitPattern: calls)
        }
        file.pointee.pMethods = UnsafePointer(bitPattern: calls)
    }

    private static func recorded(_ own: sqlite3_io_methods) -> sqlite3_io_methods {
        var calls = own
        calls.xWrite = { file, bytes, count, place in
            RecordedCalls.forward(file) {
                $0.xWrite?(file, bytes, count, place)
            } record: {
                $0.write(UnsafeRawBufferPointer(start: bytes, count: Int(count)), at: Int(place))
            }
        }
        calls.xTruncate = { file, size in
            RecordedCalls.forward(file) {
                $0.xTruncate?(file, size)
            } record: {
                $0.cut(to: Int(size))
            }
        }
        calls.xSync = { file, flags in
            RecordedCalls.forward(file) {
                $0.xSync?(file, flags)
            } record: {
                $0.sync()
            }
        }
        calls.xClose = { file in
            guard let file else { return SQLITE_IOERR }
            let open = RecordedCalls.state.withLock { $0.files.removeValue(forKey: UInt(bitPattern: file)) }
            return open?.own.pointee.xClose?(file) ?? SQLITE_IOERR
        }
        return calls
    }

    /// Performs SQLite's call, and records it after a success.
    private static func forward(
        _ file: File?, _ call: (sqlite3_io_methods) -> Int32?, record: (inout RecordedFile) -> Void
    ) -> Int32 {
        guard let file, let open = state.withLock({ $0.files[UInt(bitPattern: file)] }) else { return SQLITE_IOERR }
        let code = call(open.own.pointee) ?? SQLITE_IOERR
        if code == SQLITE_OK { open.record.change(open.name, record) }
        return code
    }
}
