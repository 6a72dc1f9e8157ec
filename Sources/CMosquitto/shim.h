// The only C header that knows libmosquitto, and OpenSSL below it.
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
