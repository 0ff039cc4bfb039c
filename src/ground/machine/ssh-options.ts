export interface SshOptions {
  /** Replaces the user's own configuration. */
  readonly configFile?: string
  readonly user?: string
}

const CONNECT_TIMEOUT_S = 10
const ALIVE_INTERVAL_S = 5
const ALIVE_COUNT_MAX = 3
const PERSIST_S = 60

/**
 * Options of the user's configuration that must not apply to our sessions: ours ask no questions, forward nothing, run only our
 * command, and notice within seconds that the machine is gone. How the machine is reached and known (HostName, keys, ProxyJump,
 * known_hosts) is the user's own. The first value counts (ssh_config(5)).
 */
const FIXED: readonly string[] = [
  'BatchMode=yes',
  `ConnectTimeout=${CONNECT_TIMEOUT_S}`,
  'ConnectionAttempts=1',
  `ServerAliveInterval=${ALIVE_INTERVAL_S}`,
  `ServerAliveCountMax=${ALIVE_COUNT_MAX}`,
  'RequestTTY=no',
  'RemoteCommand=none',
  'PermitLocalCommand=no',
  'ForwardAgent=no',
  'ForwardX11=no',
  'ClearAllForwardings=yes',
  'LogLevel=ERROR',
]

/** A connection of its own, on which nothing else depends. */
export const ALONE: readonly string[] = ['ControlMaster=no', 'ControlPath=none']

/** A connection that stays open for the next question; `path` is its socket. */
export const shared = (path: string): readonly string[] => [
  'ControlMaster=auto',
  `ControlPath="${path}"`,
  `ControlPersist=${PERSIST_S}`,
]

/** The arguments of `ssh` before the host. */
export function sshArguments({ configFile, user }: SshOptions, sharing: readonly string[]): readonly string[] {
  return [
    ...(configFile === undefined ? [] : ['-F', configFile]),
    ...(user === undefined ? [] : ['-l', user]),
    ...[...FIXED, ...sharing].flatMap((option) => ['-o', option]),
  ]
}
