// The only C header that knows libmosquitto.
#include <mosquitto.h>
#include <mqtt_protocol.h>
