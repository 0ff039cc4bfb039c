import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { type CertificateView, certificateStep, lifeFrom } from '../../../src/ingress/decide/certificate-step.ts'

const DAY_MS = 86_400_000
const NOW = wallMs(Date.UTC(2026, 0, 1))
const madeAgo = (days: number, names = ['web.svc']) => ({ names, ...lifeFrom(wallMs(NOW - days * DAY_MS)) })

const view = (change: Partial<CertificateView>): CertificateView => ({
  ...{ now: NOW, names: ['web.svc'], serving: madeAgo(1), next: 'absent', isPublished: true, publishedForMs: 600_000 },
  ...change,
})

const ROWS: readonly [string, Partial<CertificateView>, string][] = [
  ['a young one is kept', {}, 'keep'],
  ['one of 59 days is kept', { serving: madeAgo(59) }, 'keep'],
  ['one of 61 days gets a next one', { serving: madeAgo(61) }, 'stage'],
  ['none is replaced', { serving: undefined }, 'replace'],
  ['one of 91 days is replaced', { serving: madeAgo(91) }, 'replace'],
  ['one of the future is replaced', { serving: madeAgo(-2) }, 'replace'],
  ['one for another name is replaced', { serving: madeAgo(1, ['other.svc']) }, 'replace'],
  ['one that lacks one of two names is replaced', { names: ['web.svc', 'b.svc'] }, 'replace'],
  ['what API servers trust follows', { isPublished: false }, 'publish'],
  ['a next one is published before it is shown', { next: madeAgo(0), isPublished: false }, 'publish'],
  ['a next one waits for API servers to hear', { next: madeAgo(0), publishedForMs: 59_999 }, 'keep'],
  ['a next one is shown after a minute', { next: madeAgo(0), publishedForMs: 60_000 }, 'promote'],
  ['a next one that is garbage is made anew', { next: 'garbage' }, 'stage'],
  ['a next one for another name is made anew', { next: madeAgo(0, ['b.svc']) }, 'stage'],
  ['a next one is shown at once where there is no other', { serving: undefined, next: madeAgo(0) }, 'promote'],
  ['an expired one with a next one that is garbage is replaced', { serving: madeAgo(91), next: 'garbage' }, 'replace'],
]

describe('of the certificate of a webhook', () => {
  for (const [title, change, kind] of ROWS)
    test(title, () => {
      assert.equal(certificateStep(view(change)).kind, kind)
    })
})
