/** The packages whose update needs a reboot, as `needs-restarting -r` of dnf names them (dnf-plugins-core, NEED_REBOOT). */
export const CORE_PACKAGES: readonly string[] = [
  'kernel',
  'kernel-core',
  'kernel-rt',
  'glibc',
  'linux-firmware',
  'systemd',
  'dbus',
  'dbus-broker',
  'dbus-daemon',
  'microcode_ctl',
]

/** Where people name further ones, one a line, in files that end with .conf. */
export const MORE_PACKAGES_DIR = '/etc/dnf/plugins/needs-restarting.d'
