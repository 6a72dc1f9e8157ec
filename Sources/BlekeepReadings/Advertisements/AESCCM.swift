internal import Glibc

/// AES-128 in CCM mode, which encrypts advertisements.
///
/// libgcrypt decrypts. blekeep loads it with the first encrypted packet, because most users don't need it. On Debian 12,
/// libdbus loads it anyway.
enum AESCCM {
    /// - Parameters:
    ///   - tag: proves that the text is genuine; `nil` for text without proof.
    ///   - associated: bytes that aren't encrypted, but are part of the proof.
    /// - Throws: `authentication` when key, nonce, text and tag don't match; `cipher` without libgcrypt.
    static func decrypt(
        _ ciphertext: ArraySlice<UInt8>, tag: ArraySlice<UInt8>?, nonce: [UInt8], associated: [UInt8] = [],
        key: AdvertisementKey
    ) throws(DecodeError) -> [UInt8] {
        guard let library = Gcrypt.shared else { throw .cipher }
        var handle: OpaquePointer?
        guard library.open(&handle, Gcrypt.aes128, Gcrypt.ccmMode, 0) == 0, let handle else { throw .cipher }
        defer { library.close(handle) }
        let tagLength = tag?.count ?? 4
        var lengths: [UInt64] = [UInt64(ciphertext.count), UInt64(associated.count), UInt64(tagLength)]
        let source = Array(ciphertext)
        var text = [UInt8](repeating: 0, count: source.count)
        guard library.setKey(handle, key.bytes, key.bytes.count) == 0,
            library.setNonce(handle, nonce, nonce.count) == 0,
            library.control(handle, Gcrypt.setLengths, &lengths, lengths.count * MemoryLayout<UInt64>.stride) == 0,
            associated.isEmpty || library.authenticate(handle, associated, associated.count) == 0,
            library.decrypt(handle, &text, text.count, source, source.count) == 0
        else { throw .cipher }
        if let tag {
            guard library.checkTag(handle, Array(tag), tag.count) == 0 else { throw .authentication }
        }
        return text
    }
}

/// The functions of libgcrypt, and the numbers from its header gcrypt.h.
private struct Gcrypt {
    typealias Open = @convention(c) (UnsafeMutablePointer<OpaquePointer?>, CInt, CInt, CUnsignedInt) -> CUnsignedInt
    typealias Put = @convention(c) (OpaquePointer, UnsafeRawPointer, Int) -> CUnsignedInt
    typealias Control = @convention(c) (OpaquePointer, CInt, UnsafeMutableRawPointer, Int) -> CUnsignedInt
    typealias Decrypt =
        @convention(c) (
            OpaquePointer, UnsafeMutableRawPointer, Int, UnsafeRawPointer, Int
        ) -> CUnsignedInt
    typealias Close = @convention(c) (OpaquePointer) -> Void
    typealias CheckVersion = @convention(c) (UnsafePointer<CChar>?) -> UnsafePointer<CChar>?

    static let aes128: CInt = 7
    static let ccmMode: CInt = 8
    static let setLengths: CInt = 69

    let open: Open
    let setKey: Put
    let setNonce: Put
    let control: Control
    let authenticate: Put
    let decrypt: Decrypt
    let checkTag: Put
    let close: Close

    static let shared = Gcrypt()

    /// `nil` when the library is missing.
    private init?() {
        guard let library = dlopen("libgcrypt.so.20", RTLD_NOW | RTLD_LOCAL),
            let checkVersion = Self.function("gcry_check_version", of: library, as: CheckVersion.self),
            let open = Self.function("gcry_cipher_open", of: library, as: Open.self),
            let setKey = Self.function("gcry_cipher_setkey", of: library, as: Put.self),
            let setNonce = Self.function("gcry_cipher_setiv", of: library, as: Put.self),
            let control = Self.function("gcry_cipher_ctl", of: library, as: Control.self),
            let authenticate = Self.function("gcry_cipher_authenticate", of: library, as: Put.self),
            let decrypt = Self.function("gcry_cipher_decrypt", of: library, as: Decrypt.self),
            let checkTag = Self.function("gcry_cipher_checktag", of: library, as: Put.self),
            let close = Self.function("gcry_cipher_close", of: library, as: Close.self),
            // This call also initializes the library.
            checkVersion(nil) != nil
        else { return nil }
        (self.open, self.setKey, self.setNonce, self.control) = (open, setKey, setNonce, control)
        (self.authenticate, self.decrypt) = (authenticate, decrypt)
        (self.checkTag, self.close) = (checkTag, close)
    }

    /// - Parameter type: the C type of the function, as the library's header declares it.
    private static func function<Function>(
        _ name: String, of library: UnsafeMutableRawPointer, as type: Function.Type
    ) -> Function? {
        dlsym(library, name).map { unsafeBitCast($0, to: type) }
    }
}
