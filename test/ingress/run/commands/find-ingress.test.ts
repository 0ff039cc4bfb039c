import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorldError } from '../../../../src/ground/model/world-error.ts'
import type { Objects } from '../../../../src/ground/ports/objects.ts'
import { findIngress } from '../../../../src/ingress/run/commands/find-ingress.ts'

const never = new AbortController().signal

/** A cluster in which no kind of IngressDaemonSets is installed, or in which a gateway answers. */
const NONE: Pick<Objects, 'get'> = {
  get: () => Promise.reject(new WorldError('the kind is not installed', { code: 'KUBE_NO_PATH', retry: 'backoff' })),
}

test('an IngressDaemonSet of a kind that is not installed is not there', async () => {
  const asked = findIngress(NONE, { namespace: 'edge', name: 'web' }, never)
  await assert.rejects(asked, { name: 'UserError', code: 'rollout.not-found' })
})
