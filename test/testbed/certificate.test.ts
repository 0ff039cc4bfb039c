import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { authorityFrom, newAuthority } from '../../testbed/pki/authority.ts'

test('a certificate is signed by its authority and names user, groups and addresses', () => {
  const authority = newAuthority()
  const issued = authority.issue(
    { commonName: 'alice', organizations: ['ops', 'readers'] },
    { names: ['kubernetes.default', '10.77.0.1'] },
  )
  const certificate = new X509Certificate(issued.certificatePem)
  const root = new X509Certificate(authority.certificatePem)
  assert.equal(certificate.subject, 'O=ops\nO=readers\nCN=alice')
  assert.equal(certificate.subjectAltName, 'DNS:kubernetes.default, IP Address:10.77.0.1')
  assert.equal(certificate.ca, false)
  assert.equal(root.ca, true)
  assert.ok(certificate.checkIssued(root) && certificate.verify(root.publicKey))
  assert.ok(certificate.validToDate.getTime() > Date.now())
})

test('an authority that was kept goes on issuing, expired certificates too', () => {
  const authority = newAuthority()
  const kept = authorityFrom({ certificatePem: authority.certificatePem, keyPem: authority.keyPem })
  const issued = kept.issue({ commonName: 'late' }, { notAfter: new Date('2020-02-03T04:05:06Z') })
  const certificate = new X509Certificate(issued.certificatePem)
  assert.ok(certificate.verify(new X509Certificate(authority.certificatePem).publicKey))
  assert.equal(certificate.validTo, 'Feb  3 04:05:06 2020 GMT')
  assert.equal(certificate.validFrom, 'Feb  3 03:05:06 2020 GMT')
})
