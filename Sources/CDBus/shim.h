// The only C header that knows libdbus. Macros that Swift cannot import get a name here.
#include <dbus/dbus.h>
