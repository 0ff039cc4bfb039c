import { tmpdir } from 'node:os'
import { CommandHost } from '../../src/adapters/host/command-host.ts'
import { SshHost } from '../../src/adapters/host/ssh-host.ts'
import { systemClock } from '../../src/adapters/node/system-clock.ts'
import { systemRandom } from '../../src/adapters/node/system-random.ts'
import type { RollSpec } from '../../src/model/roll-spec.ts'
import type { Host } from '../../src/ports/host.ts'

const CHECK_LIMIT_MS = 15_000
const REBOOT_LIMIT_MS = 30_000

/** How this roll reaches the machines under its nodes. Opens nothing yet. */
export function hostOf({ reboot }: RollSpec): Host {
  if (reboot.kind === 'command') {
    return new CommandHost({ clock: systemClock, command: reboot.command, limitMs: REBOOT_LIMIT_MS })
  }
  const { command, configFile, user } = reboot
  return new SshHost({
    clock: systemClock,
    random: systemRandom,
    command,
    socketDir: tmpdir(),
    checkLimitMs: CHECK_LIMIT_MS,
    rebootLimitMs: REBOOT_LIMIT_MS,
    ...(configFile === undefined ? {} : { configFile }),
    ...(user === undefined ? {} : { user }),
  })
}
