// The only C header that knows libmosquitto, and OpenSSL below it.
#include <mosquitto.h>
// From libmosquitto 2.1 on, mosquitto.h includes this, and the old name warns, which is an error here.
#if !__has_include(<mosquitto/mqtt_protocol.h>)
#include <mqtt_protocol.h>
#endif
#include <openssl/err.h>
#include <openssl/ssl.h>
