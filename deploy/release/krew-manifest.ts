import { stringify } from 'yaml'
import type { Arch } from './node-program.ts'

interface KrewArchive {
  readonly arch: Arch
  readonly uri: string
  readonly sha256: string
}

const GO_ARCH: Readonly<Record<Arch, string>> = { x64: 'amd64', arm64: 'arm64' }

/** What `kubectl krew install --manifest` reads (krew.googlecontainertools.github.com/v1alpha2). */
export const krewManifest = (version: string, archives: readonly KrewArchive[]): string =>
  stringify({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'evenkeel' },
    spec: {
      version: `v${version}`,
      homepage: 'https://evenkeel.dev/',
      shortDescription: 'Reboot nodes without a failed request',
      description:
        'Takes the nodes of a cluster out of their load balancers, drains and reboots them, proves that each is well, and ' +
        'brings it back without a failed request. It measures from outside, and stops by itself when a request fails.\n',
      platforms: archives.map(({ arch, uri, sha256 }) => ({
        selector: { matchLabels: { os: 'linux', arch: GO_ARCH[arch] } },
        uri,
        sha256,
        files: [
          { from: 'evenkeel', to: '.' },
          { from: 'LICENSE', to: '.' },
          { from: 'THIRD-PARTY-LICENSES.txt', to: '.' },
        ],
        bin: 'evenkeel',
      })),
    },
  })
