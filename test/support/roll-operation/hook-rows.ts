import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import type { OperationPlace } from './operation-place.ts'
import type { OperationRow } from './operation-row.ts'

const silence = (url: string, change: object = {}): object => ({
  name: 'am',
  url,
  matchers: [{ name: 'node', value: '{node}' }],
  timeout: '1s',
  ...change,
})

/** A child that no process has waited for may be left as a zombie, which runs no more. */
async function hasEnded(pid: string): Promise<true | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat === '' || /\) Z /.test(stat) || undefined
}

async function bothHaveEnded(place: OperationPlace): Promise<void> {
  const pids = (await readFile(place.path('pids'), 'utf8')).trim().split(' ')
  assert.equal(pids.length, 2)
  for (const pid of pids) await waitFor({ what: `the end of process ${pid}`, limitMs: 5_000 }, () => hasEnded(pid))
}

/** Hooks that fail or hang, and a real Alertmanager that is away or frozen. */
export const HOOK_ROWS: readonly OperationRow[] = [
  {
    situation: 'a hook that fails before the reboot is announced: those before it are undone, those after it never run',
    nodes: ['n1', 'n2'],
    async arrange(place) {
      const [good, bad] = [await place.hook(), await place.hook('bad', 'echo "no quorum" >&2; exit 7')]
      return {
        spec: {
          hooks: [
            { name: 'outer', at: 'beforeNode', run: [good, 'outer'], undo: [good, 'undo outer'] },
            { name: 'bad', at: 'beforeReboot', run: [bad, 'bad'], undo: [good, 'undo bad'] },
            { name: 'later', at: 'beforeReboot', run: [good, 'later'], undo: [good, 'undo later'] },
          ],
        },
      }
    },
    exit: 1,
    says: ['HookFailed'],
    words: [/hook bad failed for n1: .*bad ended with exit code 7: no quorum/],
    leaves: { hooks: ['outer', 'bad', 'undo bad', 'undo outer'] },
  },
  {
    situation: 'a hook that fails after the reboot: its node comes back, and the next one is not begun',
    nodes: ['n1', 'n2'],
    async arrange(place) {
      const [good, bad] = [await place.hook(), await place.hook('bad', 'exit 1')]
      return {
        spec: {
          hooks: [
            { name: 'noout', at: 'beforeReboot', run: [good, 'set'], undo: [good, 'unset'] },
            { name: 'check', at: 'afterReboot', run: [bad, 'check'] },
          ],
        },
      }
    },
    exit: 1,
    says: ['HookFailed'],
    words: [/hook check failed for n1: .*bad ended with exit code 1/],
    leaves: { boots: { n1: 1 }, hooks: ['set', 'check', 'unset'] },
  },
  {
    situation: 'a hook that hangs, with a process that it started',
    nodes: ['n1'],
    async arrange(place) {
      const good = await place.hook()
      const hangs = await place.hook('hangs', 'sleep 300 &\necho "$$ $!" > pids\nwait')
      const slow = { name: 'slow', at: 'beforeReboot', run: [hangs, 'run'], undo: [good, 'undo'], timeout: '2s' }
      return { spec: { hooks: [slow] } }
    },
    exit: 1,
    says: ['HookFailed'],
    words: [/hook slow failed for n1: .*hangs did not end within 2000 ms/],
    leaves: { hooks: ['run', 'undo'] },
    and: bothHaveEnded,
  },
  {
    situation: 'an Alertmanager that is away, for a roll that only warns of it',
    nodes: ['n1'],
    async arrange(place) {
      const hook = await place.hook()
      return {
        spec: {
          silences: [silence('http://127.0.0.1:9093')],
          hooks: [{ name: 'noout', at: 'beforeReboot', run: [hook, '{node}'], undo: [hook, 'undo', '{node}'] }],
        },
      }
    },
    exit: 0,
    says: [],
    words: [/alerts of n1 are not silenced in am: .*ECONNREFUSED/],
    leaves: { boots: { n1: 1 }, hooks: ['n1', 'undo n1'] },
  },
  {
    situation:
      'an Alertmanager that is frozen, and goes on while the roll waits: the node is silenced until it is back',
    nodes: ['n1'],
    async arrange(place) {
      const server = await place.alertmanager()
      await server.start()
      server.freeze()
      return {
        spec: { silences: [silence(server.url, { onFailure: 'hold' })] },
        async meanwhile(roll) {
          await roll.untilHeld('SilenceFailed')
          server.thaw()
          await roll.untilStep('proof', 'n1')
          assert.deepEqual(new Set(await place.silences()), new Set(['n1']))
        },
      }
    },
    exit: 0,
    says: ['SilenceFailed'],
    words: [/alerts of n1 are not silenced in am: /],
    leaves: { boots: { n1: 1 } },
  },
]
