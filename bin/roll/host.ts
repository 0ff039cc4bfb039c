import { tmpdir } from 'node:os'
import { ownBootId } from '../../src/ground/machine/own-boot-id.ts'
import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../src/ground/machine/system-random.ts'
import { present } from '../../src/ground/model/present.ts'
import { needQuestion } from '../../src/ground/model/reboot-need.ts'
import type { Cluster } from '../../src/ground/ports/cluster.ts'
import type { Host } from '../../src/ground/ports/host.ts'
import { CommandHost } from '../../src/roll/io/command-host.ts'
import { SshHost } from '../../src/roll/io/ssh-host.ts'
import { SshMachines } from '../../src/roll/io/ssh-machines.ts'
import type { RollSpec } from '../../src/roll/model/roll-spec.ts'
import { FleetLockHost } from '../../src/roll/run/fleet-lock-host.ts'
import { RebooterHost } from '../../src/roll/run/rebooter-host.ts'
import type { RollSurroundings } from './world.ts'

const CHECK_LIMIT_MS = 15_000
/** A package manager that is asked whether a reboot is needed reads its database first. */
const NEED_LIMIT_MS = 60_000
const REBOOT_LIMIT_MS = 30_000

/** The machines of the load balancers, by the same ssh. Opens nothing yet. */
export function machinesOf({ reboot, hosts }: RollSpec): SshMachines | undefined {
  if (hosts === undefined) return undefined
  const { configFile, user } = reboot.kind === 'ssh' ? reboot : {}
  return new SshMachines({
    clock: systemClock,
    random: systemRandom,
    readLimitMs: CHECK_LIMIT_MS,
    ...present({ configFile, user }),
  })
}

interface HostParts extends Pick<RollSurroundings, 'env'> {
  readonly cluster: Pick<Cluster, 'readNode' | 'patchNode'>
}

/** How this roll reaches the machines under its nodes. Opens nothing yet. */
export function hostOf({ reboot }: RollSpec, { env, cluster }: HostParts): Host {
  if (reboot.kind === 'rebooter') {
    return new RebooterHost({ cluster, clock: systemClock, random: systemRandom, limitMs: REBOOT_LIMIT_MS, ownBootId })
  }
  if (reboot.kind === 'fleetLock') return new FleetLockHost({ cluster, random: systemRandom, ownBootId })
  if (reboot.kind === 'command') {
    const searchPath = env.PATH ?? ''
    return new CommandHost({ clock: systemClock, command: reboot.command, searchPath, limitMs: REBOOT_LIMIT_MS })
  }
  const { command, configFile, user, onlyIfNeeded } = reboot
  return new SshHost({
    clock: systemClock,
    random: systemRandom,
    command,
    socketDir: tmpdir(),
    checkLimitMs: onlyIfNeeded?.command === undefined ? CHECK_LIMIT_MS : NEED_LIMIT_MS,
    rebootLimitMs: REBOOT_LIMIT_MS,
    ...present({ configFile, user }),
    ...(onlyIfNeeded === undefined ? {} : { need: needQuestion(onlyIfNeeded) }),
  })
}
