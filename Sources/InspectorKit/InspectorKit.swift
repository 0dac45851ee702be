// InspectorKit
