import type { ApiObject } from '../world/api-object.ts'
import type { WrittenSelector } from '../world/label-selector.ts'
import type { PodTemplate } from './owned-pods.ts'

interface ClaimTemplate {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
  readonly spec: Readonly<Record<string, unknown>>
}

export interface StatefulSetObject extends ApiObject {
  readonly spec: {
    readonly replicas?: number
    readonly minReadySeconds?: number
    readonly revisionHistoryLimit?: number
    readonly serviceName?: string
    readonly podManagementPolicy?: string
    readonly ordinals?: { readonly start?: number }
    readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: { readonly partition?: number } }
    readonly selector?: WrittenSelector
    readonly template: PodTemplate
    readonly volumeClaimTemplates?: readonly ClaimTemplate[]
  }
  readonly status?: { readonly currentRevision?: string }
}
