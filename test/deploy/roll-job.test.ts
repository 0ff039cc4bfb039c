import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { readRollFile } from '../../src/roll/file/read-roll-file.ts'
import { boundTo, type RbacManifest } from '../support/granted-rights.ts'

const read = (path: string): string => readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8')
const documents = parseAllDocuments(read('examples/roll-job.yaml')).map((document) => document.toJS())
const ofKind = (kind: string) => documents.find((object) => object.kind === kind)
const job = ofKind('Job')
const pod = job.spec.template.spec
const [container] = pod.containers

test('the roll file of the Job is valid, and its pod can do what the file asks for', () => {
  const text = ofKind('ConfigMap').data['roll.yaml']
  const { spec } = readRollFile({ file: 'roll.yaml', text })
  assert.ok(spec.probe !== undefined)
  assert.ok(spec.reboot.kind === 'ssh')
  const mounts = container.volumeMounts.map(({ mountPath }: { readonly mountPath: string }) => mountPath)
  assert.ok(mounts.includes('/etc/evenkeel/ssh') && spec.reboot.configFile?.startsWith('/etc/evenkeel/ssh/'))
  assert.deepEqual(
    spec.balancers.flatMap(({ via }) =>
      (via.kind === 'haproxy' ? via.instances : []).map(({ address }) => address.kind),
    ),
    ['tcp'],
  )
})

test('the Job has the identity of a roll, and each field that ties it to this pod and to this Job', () => {
  const rbac = parseAllDocuments(read('roll-rbac.yaml')).map((document) => document.toJS() as RbacManifest)
  const identity = `ServiceAccount ${job.metadata.namespace}/${pod.serviceAccountName}`
  assert.ok(boundTo(rbac, identity).length > 4)
  assert.deepEqual(container.args, [
    'roll',
    '--file=/etc/evenkeel/roll/roll.yaml',
    '--yes',
    '--pod=$(POD_NAMESPACE)/$(POD_NAME)',
    '--once=$(JOB_UID)',
    '--state-dir=configmaps:evenkeel',
  ])
  const env = container.env.map(
    ({
      name,
      valueFrom,
    }: {
      readonly name: string
      readonly valueFrom: { readonly fieldRef: { readonly fieldPath: string } }
    }) => `${name} ${valueFrom.fieldRef.fieldPath}`,
  )
  assert.deepEqual(env, [
    'POD_NAMESPACE metadata.namespace',
    'POD_NAME metadata.name',
    "JOB_UID metadata.labels['batch.kubernetes.io/controller-uid']",
  ])
})

test('the journal needs no volume, and its rights are those of the identity in the namespace of the Job', () => {
  assert.deepEqual(
    documents.map(({ kind }) => kind),
    ['ConfigMap', 'NetworkPolicy', 'Job'],
  )
  const volumes = pod.volumes.flatMap(({ persistentVolumeClaim }: { readonly persistentVolumeClaim?: object }) =>
    persistentVolumeClaim === undefined ? [] : [persistentVolumeClaim],
  )
  assert.deepEqual(volumes, [])
  const rbac = parseAllDocuments(read('roll-journal-rbac.yaml')).map((document) => document.toJS() as RbacManifest)
  const identity = `ServiceAccount ${job.metadata.namespace}/${pod.serviceAccountName}`
  assert.deepEqual(boundTo(rbac, identity), ['Role evenkeel-roll-journal in evenkeel'])
})

test('a roll that is held or wrong fails the Job, one that moved does not count, and no pod begins beside another', () => {
  assert.equal(job.spec.podReplacementPolicy, 'Failed')
  assert.equal(pod.restartPolicy, 'Never')
  const rules = job.spec.podFailurePolicy.rules.map(
    (rule: { readonly action: string; readonly onExitCodes?: { readonly values: readonly number[] } }) =>
      `${rule.action} ${rule.onExitCodes?.values.join(' ') ?? 'DisruptionTarget'}`,
  )
  assert.deepEqual(rules, ['FailJob 2 3', 'Ignore DisruptionTarget', 'Ignore 130'])
})

test('the pod may not start on a node that the roll has cordoned, and is bound to none', () => {
  const keys = pod.tolerations.map(({ key }: { readonly key?: string }) => key)
  assert.deepEqual(keys, ['node-role.kubernetes.io/control-plane'])
  assert.deepEqual([pod.nodeName, pod.nodeSelector, pod.affinity], [undefined, undefined, undefined])
})

test('the pod is as narrow as the strictest Pod Security Standard asks for', () => {
  const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = container.securityContext
  assert.deepEqual([allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities.drop], [false, true, ['ALL']])
  const { runAsNonRoot, runAsUser, fsGroup, seccompProfile } = pod.securityContext
  assert.deepEqual([runAsNonRoot, runAsUser, fsGroup, seccompProfile.type], [true, 65_532, 65_532, 'RuntimeDefault'])
  const key = pod.volumes.find(({ name }: { readonly name: string }) => name === 'ssh')
  assert.equal(key.secret.defaultMode, 0o440)
})
