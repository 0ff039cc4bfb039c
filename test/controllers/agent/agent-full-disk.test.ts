import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { AgentPlace, answers } from '../../support/agent/agent-place.ts'
import { requires } from '../../support/requires.ts'
import { TinyDisk } from '../../support/roll-luck/tiny-disk.ts'

const REQUEST = { version: 1, id: 'r-1', run: '20260101T000000Z-0001', at: '2026-01-01T00:00:00.000Z' }

test(
  'on a disk and a tmpfs that are full a request is answered by, and acknowledged when there is room for it',
  requires('testbed'),
  async (t) => {
    const disk = await TinyDisk.mount(tmpdir())
    t.after(async () => {
      await disk.unmount()
      await rm(disk.folder, { recursive: true, force: true })
    })
    const place = await AgentPlace.of(t, disk.enter)
    const on = (name: string): string => join(disk.folder, name)
    const agent = await place.agent('--memory-dir', on('run'), '--keep-dir', on('lib'))
    await answers(agent, '200 OK')
    assert.deepEqual((await agent.health()).trouble, [])
    disk.fill()
    await place.patch({ metadata: { annotations: { 'evenkeel.dev/maintenance': JSON.stringify(REQUEST) } } })
    await answers(agent, '503 Down')
    await waitFor({ what: 'trouble with the disk', limitMs: 10_000, everyMs: 5 }, async () =>
      (await agent.health()).trouble.some((text) => /ENOSPC/.test(text)) ? true : undefined,
    )
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
