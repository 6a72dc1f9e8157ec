import Blekeep
import BlekeepOutputs
import Glibc

enum NewFile {
    /// Writes a new file, and creates the folders above it. Other programs see all of it, or none.
    ///
    /// - Parameters:
    ///   - isPrivate: whether only this user may read it, and the members of `group`.
    ///   - group: the name of a group that the file belongs to, if there is one and this user may say so.
    ///   - failure: the code of the failure.
    /// - Throws: a failure when the file exists, or when writing fails. Then no part of the file stays.
    static func write(
        _ text: String, to path: String, isPrivate: Bool = false, group: String? = nil,
        failure: Failure.Code = .badConfiguration
    ) throws(Failure) {
        makeFolders(above: path)
        // Before the folder's own refusal, which would say less.
        var file = stat()
        if lstat(path, &file) == 0 { throw refusal(path, code: EEXIST, failure: failure) }
        let (part, descriptor) = PartFile.create(for: path, mode: isPrivate ? 0o600 : 0o644)
        guard descriptor >= 0 else { throw refusal(path, code: errno, failure: failure) }
        var code = SystemFile.write(Array(text.utf8), to: descriptor)
        if let group = group.flatMap({ getgrnam($0) }), fchown(descriptor, geteuid(), group.pointee.gr_gid) == 0,
            fchmod(descriptor, 0o640) != 0
        {
            code = code ?? errno
        }
        if code == nil, fsync(descriptor) != 0 { code = errno }
        close(descriptor)
        if code == nil, !PartFile.name(part, path) { code = errno }
        guard let code else { return }
        unlink(part)
        throw refusal(path, code: code, failure: failure)
    }

    /// - Throws: the failure to write a new file, if there is one already.
    static func check(_ path: String, failure: Failure.Code) throws(Failure) {
        if access(path, F_OK) == 0 { throw refusal(path, code: EEXIST, failure: failure) }
    }

    /// Writes a file, or replaces one. Other programs see the old file or the new one, never a part.
    ///
    /// - Parameter failure: the code of the failure.
    /// - Throws: a failure when writing fails. Then the old file stays.
    static func replace(_ text: String, at path: String, failure: Failure.Code = .badConfiguration) throws(Failure) {
        var (file, target) = (stat(), path)
        if stat(path, &file) == 0 {
            // A terminal, a pipe or a folder can't be replaced.
            guard file.st_mode & S_IFMT == S_IFREG else { return try append(text, to: path, failure: failure) }
            if let resolved = realpath(path, nil) {
                target = String(cString: resolved)
                free(resolved)
            }
        } else {
            (file.st_mode, file.st_uid, file.st_gid) = (0o644, geteuid(), getegid())
        }
        let (part, descriptor) = PartFile.create(for: target, mode: file.st_mode & 0o777)
        guard descriptor >= 0 else { throw refusal(path, code: errno, failure: failure) }
        var code = SystemFile.write(Array(text.utf8), to: descriptor)
        // The service's user may read the file only through its group.
        if code == nil, fchown(descriptor, file.st_uid, file.st_gid) != 0, file.st_mode & 0o004 == 0 { code = errno }
        if code == nil, fsync(descriptor) != 0 { code = errno }
        if close(descriptor) != 0 { code = code ?? errno }
        if code == nil, rename(part, target) != 0 { code = errno }
        guard let code else { return }
        unlink(part)
        throw refusal(path, code: code, failure: failure)
    }

    static func remove(_ path: String) throws(Failure) {
        if unlink(path) != 0 { throw refusal(path, code: errno, failure: .badConfiguration) }
    }

    private static func append(_ text: String, to path: String, failure: Failure.Code) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw refusal(path, code: errno, failure: failure) }
        defer { close(descriptor) }
        if let code = SystemFile.write(Array(text.utf8), to: descriptor) {
            throw refusal(path, code: code, failure: failure)
        }
    }

    private static func makeFolders(above path: String) {
        var folder = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: true).dropLast() {
            folder += (folder.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
            mkdir(folder, 0o755)
        }
    }

    private static func refusal(_ path: String, code: Int32, failure: Failure.Code) -> Failure {
        let why =
            switch code {
            case EEXIST: "it exists already"
            case EACCES, EPERM: "\(missingRight(above: path)); try with sudo, or name another file"
            case ENOSPC: "the disk is full"
            case EROFS: "the file system is read-only"
            default: strerror(code).map { String(cString: $0) } ?? "error \(code)"
            }
        return Failure(failure, "can't write \(Untrusted.whole(path)): \(why)")
    }

    /// The sentence about the folder that this user may not write in.
    private static func missingRight(above path: String) -> String {
        var folder = path
        var status = stat()
        repeat {
            folder = folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? "."
            if folder.isEmpty { folder = "/" }
        } while stat(folder, &status) != 0 && folder != "/" && folder != "."
        guard access(folder, W_OK) != 0 else { return "this user has no permission" }
        let owner = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) } ?? "user \(status.st_uid)"
        return "this user may not write in \(Untrusted.whole(folder)), which belongs to \(owner)"
    }
}
