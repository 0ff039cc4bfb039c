import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { AgentPlace, answers, type RunningAgent } from '../../support/agent/agent-place.ts'
import { requires } from '../../support/requires.ts'
import { TinyDisk } from '../../support/roll-luck/tiny-disk.ts'

const REQUEST = { version: 1, id: 'r-1', run: '20260101T000000Z-0001', at: '2026-01-01T00:00:00.000Z' }

/** A disk that can be filled, and agents that see it. */
async function aDisk(t: TestContext) {
  const disk = await TinyDisk.mount(tmpdir())
  t.after(async () => {
    await disk.unmount()
    await rm(disk.folder, { recursive: true, force: true })
  })
  return { disk, place: await AgentPlace.of(t, disk.enter) }
}

const troubled = (agent: RunningAgent): Promise<true> =>
  waitFor({ what: 'trouble with the disk', limitMs: 10_000, everyMs: 5 }, async () =>
    (await agent.health()).trouble.some((text) => /ENOSPC/.test(text)) ? true : undefined,
  )

test(
  'on a disk that is full a request is answered by, and acknowledged when there is room for it',
  requires('testbed'),
  async (t) => {
    const { disk, place } = await aDisk(t)
    const agent = await place.agent('--keep-dir', join(disk.folder, 'lib'))
    await answers(agent, '200 OK')
    assert.deepEqual((await agent.health()).trouble, [])
    disk.fill()
    await place.patch({ metadata: { annotations: { 'evenkeel.dev/maintenance': JSON.stringify(REQUEST) } } })
    await answers(agent, '503 Down')
    await troubled(agent)
    assert.deepEqual((await agent.health()).maintenance.acknowledged, [])
    disk.free()
    await waitFor({ what: 'the request to be acknowledged', limitMs: 30_000, everyMs: 20 }, async () =>
      (await agent.health()).maintenance.acknowledged.join() === 'r-1' ? true : undefined,
    )
    await waitFor({ what: 'no trouble', limitMs: 10_000, everyMs: 20 }, async () =>
      (await agent.health()).trouble.length === 0 ? true : undefined,
    )
    assert.equal(await agent.page('/nodecheck'), '503 Down')
  },
)

test(
  'on a full tmpfs an agent follows what it hears, and the next agent follows nothing that is over',
  requires('testbed'),
  async (t) => {
    const { disk, place } = await aDisk(t)
    const memory = ['--memory-dir', join(disk.folder, 'run')]
    const first = await place.agent(...memory)
    await answers(first, '200 OK')
    disk.fill()
    await place.patch({ spec: { unschedulable: true } })
    await answers(first, '503 Down')
    assert.equal(await first.page('/livez', 'status'), '200 ok\n')
    // Once what was remembered is removed there is room for what is so, or for nothing: neither says that the node serves.
    await waitFor({ what: 'what is over to be forgotten', limitMs: 10_000, everyMs: 5 }, async () =>
      disk.read('run/memory.json')?.includes('"answer":"up"') === true ? undefined : true,
    )
    place.away()
    await first.kill('SIGKILL')
    const second = await place.agent(...memory)
    assert.equal(await second.page('/nodecheck'), '503 Down')
  },
)
