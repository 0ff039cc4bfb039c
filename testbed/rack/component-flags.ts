import { apiPort, serviceRange } from '../addresses.ts'
import type { RackPlan } from './plan.ts'

interface ApiServerPlace {
  readonly address: string
  /** Folder with its certificates, as the server sees it. */
  readonly pki: string
  readonly auditPolicy: string
  readonly auditLog: string
}

/** An API server without its way to etcd. */
export function apiServerFlags({ address, pki, auditPolicy, auditLog }: ApiServerPlace): string[] {
  return [
    `--bind-address=${address}`,
    `--advertise-address=${address}`,
    `--secure-port=${apiPort}`,
    `--tls-cert-file=${pki}/apiserver.crt`,
    `--tls-private-key-file=${pki}/apiserver.key`,
    `--client-ca-file=${pki}/ca.crt`,
    `--kubelet-client-certificate=${pki}/kubelet-client.crt`,
    `--kubelet-client-key=${pki}/kubelet-client.key`,
    `--kubelet-certificate-authority=${pki}/ca.crt`,
    '--kubelet-preferred-address-types=InternalIP',
    `--service-account-key-file=${pki}/sa.pub`,
    `--service-account-signing-key-file=${pki}/sa.key`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-cluster-ip-range=${serviceRange}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
    '--profiling=false',
    `--audit-policy-file=${auditPolicy}`,
    `--audit-log-path=${auditLog}`,
  ]
}

/** A controller manager without its way to the API. `pki`: folder with its keys, as it sees it. */
export function controllerManagerFlags({ fast, monitorGraceSeconds }: RackPlan, pki: string): string[] {
  return [
    '--use-service-account-credentials',
    `--service-account-private-key-file=${pki}/sa.key`,
    `--root-ca-file=${pki}/ca.crt`,
    `--cluster-signing-cert-file=${pki}/ca.crt`,
    `--cluster-signing-key-file=${pki}/ca.key`,
    '--allocate-node-cidrs=false',
    // More than thirty controllers fetch a token each at the start; at the default rate that takes four seconds longer.
    '--kube-api-qps=300',
    '--kube-api-burst=500',
    ...(fast ? ['--node-monitor-period=1s'] : []),
    `--node-monitor-grace-period=${monitorGraceSeconds}s`,
  ]
}
