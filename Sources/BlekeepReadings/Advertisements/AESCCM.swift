internal import CCrypto

/// AES-128 in CCM mode, which encrypts advertisements. OpenSSL decrypts.
enum AESCCM {
    /// - Parameters:
    ///   - tag: proves that the text is genuine; `nil` for text without proof.
    ///   - nonce: 7 to 13 bytes.
    ///   - associated: bytes that aren't encrypted, but are part of the proof.
    /// - Throws: `authentication` when key, nonce, text and tag don't match.
    static func decrypt(
        _ ciphertext: ArraySlice<UInt8>, tag: ArraySlice<UInt8>?, nonce: [UInt8], associated: [UInt8] = [],
        key: AdvertisementKey
    ) throws(DecodeError) -> [UInt8] {
        let source = Array(ciphertext)
        guard let tag else {
            // Without its proof, CCM is CTR mode with a first block of its own.
            let counterLength = 15 - nonce.count
            let block = [UInt8(counterLength - 1)] + nonce + [UInt8](repeating: 0, count: counterLength - 1) + [1]
            return try decryptCounter(source, start: block, key: key)
        }
        return try text(of: source.count) { cipher, text in
            var (tag, count) = (Array(tag), CInt(0))
            return EVP_DecryptInit_ex(cipher, EVP_aes_128_ccm(), nil, nil, nil) == 1
                && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_IVLEN, CInt(nonce.count), nil) == 1
                && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, CInt(tag.count), &tag) == 1
                && EVP_DecryptInit_ex(cipher, nil, nil, key.bytes, nonce) == 1
                // Two calls without a destination: the length of the text, and the associated bytes.
                && EVP_DecryptUpdate(cipher, nil, &count, nil, CInt(source.count)) == 1
                && (associated.isEmpty
                    || EVP_DecryptUpdate(cipher, nil, &count, associated, CInt(associated.count)) == 1)
                && EVP_DecryptUpdate(cipher, &text, &count, source, CInt(source.count)) == 1
        }
    }

    /// Decrypts text in CTR mode. Nothing proves that it is genuine.
    static func decryptCounter(
        _ source: [UInt8], start: [UInt8], key: AdvertisementKey
    ) throws(DecodeError) -> [UInt8] {
        try decrypt(source, EVP_aes_128_ctr(), start: start, key: key.bytes)
    }

    /// Decrypts one block of 16 bytes with a key of 16 bytes.
    static func decryptBlock(_ source: [UInt8], key: [UInt8]) throws(DecodeError) -> [UInt8] {
        guard source.count == 16, key.count == 16 else { throw .short }
        return try decrypt(source, EVP_aes_128_ecb(), start: [UInt8](repeating: 0, count: 16), key: key)
    }

    private static func decrypt(
        _ source: [UInt8], _ mode: OpaquePointer?, start: [UInt8], key: [UInt8]
    ) throws(DecodeError) -> [UInt8] {
        try text(of: source.count) { cipher, text in
            var count: CInt = 0
            return EVP_DecryptInit_ex(cipher, mode, nil, key, start) == 1
                && EVP_CIPHER_CTX_set_padding(cipher, 0) == 1
                && EVP_DecryptUpdate(cipher, &text, &count, source, CInt(source.count)) == 1
        }
    }

    /// Returns the bytes that `decrypt` writes, if it succeeds.
    private static func text(
        of count: Int, _ decrypt: (OpaquePointer, inout [UInt8]) -> Bool
    ) throws(DecodeError) -> [UInt8] {
        // A failure that stays in OpenSSL's queue would fail the next TLS connection on this thread.
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        guard let cipher = EVP_CIPHER_CTX_new() else { throw .authentication }
        defer { EVP_CIPHER_CTX_free(cipher) }
        // A block cipher may write a block more.
        var text = [UInt8](repeating: 0, count: count + 16)
        guard decrypt(cipher, &text) else { throw .authentication }
        return Array(text.prefix(count))
    }
}
