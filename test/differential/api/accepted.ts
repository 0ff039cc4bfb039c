import type { Difference } from './compare.ts'

/** A difference that is known. Its line stands in the page about the simulator, with the reason and what it leaves untested. */
interface Accepted {
  readonly line: string
  /** Absent: what leads to it is not drawn, or not compared. */
  readonly is?: RegExp
}

/** By the place of a difference: `Pod.spec.nodeName`, `answer 200/422`. */
export const ACCEPTED: readonly Accepted[] = [
  { line: 'Pods have no service account, and no volume with its token.' },
  {
    line: 'Fields that a Go type cannot leave out are absent where they are empty, and a listed object names its kind.',
  },
  {
    line: 'Controllers note less on objects',
    is: /annotations\.(node\.alpha\.kubernetes\.io\/ttl|deployment\.kubernetes\.io\/(desired|max)-replicas)$|^answer Deployment\.metadata\.annotations|PersistentVolume\.metadata\.annotations\.pv\.kubernetes\.io\/bound-by-controller$/,
  },
  {
    line: 'Conditions and pods do not say which generation they are of, and workloads do not count pods that are ending.',
    is: /conditions\.\*\.observedGeneration$|Pod\.status\.observedGeneration$|status\.terminatingReplicas$/,
  },
  {
    line: 'Services have no addresses of their own by default.',
    is: /Service\.(spec\.(clusterIPs?|ipFamil.*)|status\.loadBalancer)/,
  },
  {
    line: 'Claims and volumes that are in use are not protected by finalizers.',
    is: /PersistentVolume(Claim)?\.metadata\.finalizers$/,
  },
  {
    line: 'A namespace that is being deleted does not say what it waits for, nor that it has no grace.',
    is: /Namespace\.(status\.conditions|metadata\.deletionGracePeriodSeconds)/,
  },
  { line: 'A quota counts pods alone, and has no status.', is: /ResourceQuota\.status\./ },
  { line: 'What a client writes as the status of a Job is not checked.' },
  { line: 'Fields that no type knows are stored, also where `fieldValidation=Strict` asks for a refusal.' },
]

/** The line that a difference is on the list by; undefined: it is not on the list. */
export const acceptedAs = ({ at }: Difference): string | undefined =>
  ACCEPTED.find(({ is }) => is?.test(at) === true)?.line
