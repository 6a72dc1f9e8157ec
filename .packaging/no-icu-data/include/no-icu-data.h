/// An empty collection of ICU's data.
struct icu_data {
    unsigned short header_size;
    unsigned char magic[2];
    unsigned short info_size, reserved;
    unsigned char is_big_endian, charset, char_size, reserved2, format[4], format_version[4], data_version[4], padding[8];
    unsigned int count, reserved3;
};
