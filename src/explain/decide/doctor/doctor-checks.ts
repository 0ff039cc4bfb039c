import { firstOf } from '../../../ground/model/first-of.ts'
import { contextText } from '../../../ground/model/run-origin.ts'
import { isReachedBySsh } from '../../../service/actuators/actuator-of.ts'
import { clusterChecks } from './cluster-checks.ts'
import { type Check, type DoctorSnapshot, failedCheck } from './doctor-snapshot.ts'
import { balancerChecks, rebootLockChecks, selectionChecks, targetChecks } from './file-checks.ts'
import { requestChecks } from './request-checks.ts'

/**
 * What a roll needs of this machine, of the cluster and of what its file names; one line each, in the order in which a roll
 * needs them.
 */
export const doctorChecks = (snapshot: DoctorSnapshot): readonly Check[] => [
  ...nodeJs(snapshot),
  ...rollFile(snapshot),
  ssh(snapshot),
  stateDirectory(snapshot),
  kubeconfig(snapshot),
  ...clusterChecks(snapshot),
  ...selectionChecks(snapshot),
  ...rebootLockChecks(snapshot),
  ...balancerChecks(snapshot),
  ...targetChecks(snapshot),
  ...requestChecks(snapshot),
]

function nodeJs({ node }: DoctorSnapshot): readonly Check[] {
  if (node === undefined) return []
  const { version, wantedMajor } = node
  const name = 'Node.js'
  if (Number.parseInt(version, 10) >= wantedMajor) return [{ name, state: 'ok', text: version }]
  const fix = `install Node.js ${wantedMajor} or later, or use the single executable`
  return [failedCheck(name, { text: `this is ${version}, and Even Keel needs ${wantedMajor} or later`, fix })]
}

function rollFile({ file }: DoctorSnapshot): readonly Check[] {
  if (file === undefined) return []
  const name = 'roll file'
  if (file.is === 'failed') return [failedCheck(name, file)]
  return [{ name, state: 'ok', text: `${file.value.name} can be read and has no error` }]
}

function ssh(snapshot: DoctorSnapshot): Check {
  const name = 'ssh'
  if (snapshot.ssh !== undefined) return { name, state: 'ok', text: snapshot.ssh }
  const fix = 'install the OpenSSH client'
  const text = 'there is no program ssh on PATH'
  if (snapshot.file?.is !== 'found') {
    const only = 'a roll needs it only to reboot over ssh, to reach a balancer over ssh, or for machines under "hosts"'
    return { name, state: 'warning', text: `${text}; ${only}`, fix }
  }
  const { spec } = snapshot.file.value
  const uses = [
    ...(spec.reboot.kind === 'ssh' ? ['reboots'] : []),
    ...(spec.hosts === undefined ? [] : ['the machines under "hosts"']),
    ...spec.balancers.filter(isReachedBySsh).map(({ name: balancer }) => `balancer ${balancer}`),
  ]
  if (uses.length === 0) return { name, state: 'ok', text: `${text}, and ${snapshot.file.value.name} does not need it` }
  return failedCheck(name, { text: `${text}, and ${snapshot.file.value.name} needs it for ${firstOf(uses)}`, fix })
}

function stateDirectory({ stateDirectory: found }: DoctorSnapshot): Check {
  const name = 'state directory'
  if (found.is === 'found') return { name, state: 'ok', text: `${found.value} can be written` }
  return failedCheck(name, { fix: 'name another place with --state-dir or $XDG_STATE_HOME', ...found })
}

function kubeconfig({ kubeconfig: found }: DoctorSnapshot): Check {
  const name = 'kubeconfig'
  if (found.is === 'failed') return failedCheck(name, found)
  const { files, context } = found.value
  const where = files.length === 0 ? 'the service account of this pod' : files.join(', ')
  const as = context.user === '' ? '' : `, user ${context.user}`
  return { name, state: 'ok', text: `${where}: ${contextText(context) ?? ''}${as}` }
}
