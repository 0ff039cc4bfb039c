import { virtualRollFile } from '../article-cluster.ts'

/**
 * Without a common divisor with the rates of the judges. A client that asks at a fixed rate beside another, through a balancer
 * that goes round, may never meet one of the servers.
 */
const MEASURED_PER_S = 7

export const DRAIN = { daemonSets: ['app=edge'], blockedLimit: '20s', stageLimit: '30s' }

/** Short waits and limits: what is tested is the order of things. */
export const BRISK = {
  baseline: { duration: '1s', limit: '20s' },
  settle: { limit: '30s', timesInARow: 2 },
  attach: { limit: '30s' },
  slots: { leaseDuration: '15s' },
  detach: { idleLimit: '5s' },
  drain: DRAIN,
  reboot: {
    ssh: { configFile: '/etc/ssh/ssh_config', command: ['systemctl', 'reboot'] },
    resendAfter: '15s',
    returnLimit: '20s',
  },
}

/** The roll file of a seed: what its scenario says, over what all have. */
export const seedRollFile = (spec: Readonly<Record<string, unknown>>): string =>
  virtualRollFile({ rate: MEASURED_PER_S, spec: { ...BRISK, ...spec } })
