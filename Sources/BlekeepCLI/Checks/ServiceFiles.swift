import BlekeepConfiguration
import BlekeepOutputs
import Glibc

/// What root can read or run, and the service can't, which is another user.
enum ServiceFiles {
    private static let user = "blekeep"

    /// Returns a sentence for each file that the service can't read. Only root can tell, on a machine with the service.
    static func unreadable(_ files: [NamedFile]) -> [String] {
        guard geteuid() == 0, let user = getpwnam(user)?.pointee else { return [] }
        return files.compactMap { file in
            var status = stat()
            guard file.file.hasPrefix("/"), stat(file.file, &status) == 0,
                !mayRead(status.st_mode, isOwner: status.st_uid == user.pw_uid, isOfGroup: status.st_gid == user.pw_gid)
            else { return nil }
            let path = Untrusted.whole(file.file)
            return "\(file.place): the service runs as the user \(Self.user), which can't read \(path); "
                + "'chgrp \(Self.user)' and 'chmod 640' let it"
        }
    }

    static func mayRead(_ mode: mode_t, isOwner: Bool, isOfGroup: Bool) -> Bool {
        mode & (isOwner ? S_IRUSR : isOfGroup ? S_IRGRP : S_IROTH) != 0
    }
}

extension NoticeConfiguration {
    /// Why the command can't be run; `nil` when it can.
    var obstacle: String? {
        guard let program = command.first, access(program, X_OK) != 0 else { return nil }
        return "`notices`: \(Untrusted.whole(program)) can't be run: \(SystemError.words(for: errno))"
    }
}
