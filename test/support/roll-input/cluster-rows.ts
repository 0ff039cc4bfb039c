import { newAuthority } from '../../../testbed/pki/authority.ts'
import type { InputGround } from './input-ground.ts'
import { begun, type InputRow } from './input-row.ts'

const words = (ground: InputGround): readonly string[] => begun(ground.file())

const KUBECONFIG: readonly InputRow[] = [
  {
    title: 'a kubeconfig that is not there',
    words,
    kubeconfig: () => '/nowhere/kubeconfig',
    code: 'KUBECONFIG_MISSING',
    names: ['there is no kubeconfig /nowhere/kubeconfig'],
    fix: 'name the file with --kubeconfig or $KUBECONFIG',
  },
  {
    title: 'a kubeconfig that is no YAML',
    words,
    kubeconfig: (ground) =>
      ground.write('kubeconfig', 'apiVersion: v1\nclusters: [{name: a, cluster: {server: "https\n'),
    code: 'KUBECONFIG_BROKEN',
    names: ['kubeconfig /', 'cannot be understood: ', ' at line 3, column 1'],
    fix: 'correct /',
  },
  {
    title: 'a kubeconfig without the context that is asked for',
    words: (ground) => begun(ground.file(), '--context', 'prod-eu1'),
    code: 'KUBECONFIG_NO_CONTEXT',
    names: ['no context prod-eu1 in /'],
    fix: 'choose one with --context: testbed',
  },
  {
    title: 'a context that names a user that is not there',
    words,
    kubeconfig: (ground) => ground.changedKubeconfig((text) => text.replace('"user": "testbed"', '"user": "alice"')),
    code: 'KUBECONFIG_BROKEN',
    names: ['context testbed in /', 'names a user that is not there'],
    fix: 'correct it, or choose another with --context',
  },
]

const CONNECTION: readonly InputRow[] = [
  {
    title: 'a client certificate that has expired',
    words,
    kubeconfig: (ground) => ground.userKubeconfig('old', new Date('2020-01-02T03:04:05Z')),
    code: 'KUBE_CERTIFICATE_EXPIRED',
    names: ['the client certificate of CN=old expired on Jan  2 03:04:05 2020 GMT'],
    fix: 'renew it in the kubeconfig (kubeadm: `kubeadm certs renew admin.conf`)',
  },
  {
    title: 'an API server that refuses the connection',
    words,
    kubeconfig: (ground) => ground.changedKubeconfig((text) => text.replace('10.77.0.1:6443', '10.77.0.1:6444')),
    code: 'KUBE_UNREACHABLE',
    names: ['the API server at 10.77.0.1:6444 refuses the connection'],
    fix: 'check that the API server runs and that the kubeconfig names its port; or choose another --context',
  },
  {
    title: 'an API server whose name leads nowhere',
    words,
    kubeconfig: (ground) => ground.changedKubeconfig((text) => text.replace('10.77.0.1:6443', 'api.invalid:6443')),
    code: 'KUBE_UNREACHABLE',
    names: ["the API server's name api.invalid cannot be resolved"],
    fix: "check the server's name in the kubeconfig, and this machine's DNS",
  },
  {
    title: 'an authority that did not sign for the API server',
    words,
    kubeconfig: (ground) =>
      ground.changedKubeconfig((text) =>
        text.replace(/("certificate-authority-data": )"[^"]*"/, `$1"${OTHER_AUTHORITY}"`),
      ),
    code: 'KUBE_UNTRUSTED',
    names: ['the API server at 10.77.0.1:6443 is not trusted'],
    fix: 'check certificate-authority-data and tls-server-name in the kubeconfig',
  },
  {
    title: 'a token of an account that is gone',
    words,
    kubeconfig: (ground) => ground.goneKubeconfig,
    code: 'KUBE_UNAUTHORIZED',
    names: ['Unauthorized (HTTP 401)'],
    fix: 'renew the credential that the kubeconfig uses',
  },
]

const OTHER_AUTHORITY = Buffer.from(newAuthority().certificatePem).toString('base64')
const RBAC_FIX = 'kubectl apply -f deploy/roll-rbac.yaml, and bind it to this identity'

const RIGHTS: readonly InputRow[] = [
  {
    title: 'an identity without any right',
    words,
    kubeconfig: (ground) => ground.userKubeconfig('nobody'),
    code: 'KUBE_FORBIDDEN',
    names: ['get namespaces: namespaces "kube-system" is forbidden: User "nobody"'],
    fix: 'allow it to this identity (RBAC)',
  },
  {
    title: 'an identity that may not patch nodes',
    words,
    kubeconfig: (ground) => ground.userKubeconfig('no-patch'),
    code: 'plan.refused',
    names: ['error: this identity is not allowed to patch nodes (Forbidden)', '1 error in the plan for '],
    fix: RBAC_FIX,
  },
  {
    title: 'an identity that may not evict',
    words,
    kubeconfig: (ground) => ground.userKubeconfig('no-evict'),
    code: 'plan.refused',
    names: ['error: this identity is not allowed to create pods/eviction (Forbidden)', '1 error in the plan for '],
    fix: RBAC_FIX,
  },
  {
    title: 'an identity that may not have a slot',
    words,
    kubeconfig: (ground) => ground.userKubeconfig('no-slots'),
    code: 'plan.refused',
    names: [
      'error: this identity is not allowed to create leases.coordination.k8s.io in namespace evenkeel (Forbidden)',
      '1 error in the plan for ',
    ],
    fix: RBAC_FIX,
  },
  {
    title: 'an identity that may not list nodes',
    words,
    kubeconfig: (ground) => ground.userKubeconfig('no-list'),
    code: 'plan.refused',
    names: ['error: this identity is not allowed to list nodes (Forbidden)', '1 error in the plan for '],
    fix: RBAC_FIX,
    never: ['there is no node', 'no node is selected'],
  },
]

const SLOTS: readonly InputRow[] = [
  {
    title: 'a namespace of the slots that is not there',
    words: (ground) => begun(ground.file({ slots: { namespace: 'nowhere' } })),
    kubeconfig: (ground) => ground.administratorKubeconfig,
    code: 'plan.refused',
    names: [
      'error: there is no namespace nowhere, which "slots.namespace" names for the Lease of the slot (SlotNamespaceMissing)',
      '1 error in the plan for ',
    ],
    fix: 'kubectl create namespace nowhere, or set "slots.namespace" to one that exists',
  },
  {
    title: 'a namespace of the slots where this identity has no right',
    words: (ground) => begun(ground.file({ slots: { namespace: 'nowhere' } })),
    code: 'plan.refused',
    names: [
      'error: this identity is not allowed to create leases.coordination.k8s.io in namespace nowhere (Forbidden)',
      '3 errors in the plan for ',
    ],
    fix: `${RBAC_FIX}, with its Role evenkeel-slots in nowhere: the namespace of "slots.namespace" must exist`,
  },
  {
    title: 'a namespace of the slots that is going',
    words: (ground) => begun(ground.file({ slots: { namespace: 'going' } })),
    kubeconfig: (ground) => ground.administratorKubeconfig,
    code: 'plan.refused',
    names: [
      'error: the API server would not take Lease evenkeel-slot-0 in namespace going: ',
      'because it is being terminated',
      '1 error in the plan for ',
    ],
    fix: 'repair that, or set "slots.namespace" to another namespace',
  },
]

/** The cluster cannot be asked, or does not let us. */
export const CLUSTER_ROWS: readonly InputRow[] = [...KUBECONFIG, ...CONNECTION, ...RIGHTS, ...SLOTS]
