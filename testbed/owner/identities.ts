import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KeyedCertificate } from '../pki/authority.ts'
import { kubeconfig } from '../pki/kubeconfig.ts'
import { insideServer, readAuthority } from '../rack/credentials.ts'
import type { Kubectl } from './kubectl.ts'

/** Paths of two kubeconfigs of one identity. */
export interface KubeconfigPair {
  /** For programs on the machine. */
  readonly outside: string
  /** For programs within the bed's network. */
  readonly inside: string
}

export interface UserOptions {
  readonly group?: string
  /** A time in the past makes a certificate that has expired. */
  readonly notAfter?: Date
}

export interface TokenOptions {
  /** At least ten minutes, says Kubernetes; defaults to a day. */
  readonly lifetimeSeconds?: number
}

/** Makes kubeconfigs for clients of the API other than its administrator. */
export class Identities {
  readonly #disk: string
  readonly #outsideServer: string
  readonly #kubectl: Kubectl

  constructor(bed: { readonly disk: string; readonly outsideServer: string; readonly kubectl: Kubectl }) {
    this.#disk = bed.disk
    this.#outsideServer = bed.outsideServer
    this.#kubectl = bed.kubectl
  }

  /** An identity by client certificate. What it may do is up to the RBAC objects that the test applies. */
  user(name: string, options: UserOptions = {}): KubeconfigPair {
    const organizations = options.group === undefined ? [] : [options.group]
    const issued = readAuthority(this.#disk).issue(
      { commonName: name, organizations },
      options.notAfter === undefined ? {} : { notAfter: options.notAfter },
    )
    return this.#write(`user-${name}`, issued)
  }

  /** A ServiceAccount that exists, by a token as pods get them. */
  async serviceAccount(namespace: string, name: string, options: TokenOptions = {}): Promise<KubeconfigPair> {
    const duration = `--duration=${options.lifetimeSeconds ?? 86_400}s`
    const token = await this.#kubectl(['create', 'token', name, '--namespace', namespace, duration])
    return this.#write(`account-${namespace}-${name}`, { token: token.trim() })
  }

  #write(name: string, user: KeyedCertificate | { readonly token: string }): KubeconfigPair {
    const authorityPem = readAuthority(this.#disk).certificatePem
    const file = name.replaceAll(/[^\w.-]/g, '_')
    const pair = {
      outside: join(this.#disk, `${file}.outside.kubeconfig`),
      inside: join(this.#disk, `${file}.inside.kubeconfig`),
    }
    writeFileSync(pair.outside, kubeconfig({ server: this.#outsideServer, authorityPem, user }), { mode: 0o600 })
    writeFileSync(pair.inside, kubeconfig({ server: insideServer, authorityPem, user }), { mode: 0o600 })
    return pair
  }
}
