import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { ownNamespace } from '../../bin/process/own-namespace.ts'
import { aFolder } from '../ground/kube/opened.ts'

test('a pod’s own namespace is as its service account tells, and none where there is no such account', async (t) => {
  const folder = await aFolder(t)
  assert.equal(await ownNamespace(folder, 'AGENT_OPTIONS'), undefined)
  await writeFile(join(folder, 'namespace'), 'evenkeel\n')
  assert.equal(await ownNamespace(folder, 'AGENT_OPTIONS'), 'evenkeel')
})

test('a namespace that cannot be told is not taken for none, since cordons would count without a brake', async (t) => {
  const folder = await aFolder(t)
  await writeFile(join(folder, 'namespace'), '../kube-system')
  await assert.rejects(ownNamespace(folder, 'AGENT_OPTIONS'), { fix: 'name it by --grants-namespace' })
  await mkdir(join(folder, 'other', 'namespace'), { recursive: true })
  await assert.rejects(ownNamespace(join(folder, 'other'), 'AGENT_OPTIONS'), { fix: 'name it by --grants-namespace' })
})
