/*
 * Penetration depth in earlier failures, with the original numbers: the depth is that of an independent search in long
 * double, the normal separates by it, the points are on the shapes and that far apart, and rotating both changes
 * nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <tact/tact.h>

#include "support/long_form.h"
#include "support/random.h"
#include "support/vec.h"

#define MOST_POINTS 12

/* A shape in numbers; `custom`: given to the library by its support function alone. Minkowski sums and convex hulls
 * have two parts, a transformed shape one, with its transform in `at`. */
typedef struct shape_recipe {
    tact_shape_type type;
    bool custom;
    const struct shape_recipe *parts[2];
    double radius, height, margin;
    tact_vec3 size;
    int count;
    tact_vec3 points[MOST_POINTS];
    tact_transform at;
} shape_recipe;

typedef struct story {
    const char *what;
    shape_recipe a, b;
    double depth;
} story;

/* clang-format off */
static const story stories[] = {
    {"point and cylinder: GJK's normal lay along its points, not along its proof, and left 5e-7 of overlap in a flake of size 7",
     {.type = TACT_POINT, .margin = 0x1.55fc7f761c4bp-6, .count = 1, .points = {{0x1.68cd331cb192p-2, -0x1.1a1e979e7ca94p-3, 0x1.3751ca568be44p-3}}, .at = {{0x1.edd4db8491be6p-1, -0x1.0856dd68e342dp+0, 0x1.85234371f4a41p+1}, {-0x1.545f23f77be42p-3, -0x1.580b75a8f6338p+0, -0x1.9d6c2eff6798dp-2}, {0x1.1946e6218365p+0, -0x1.cf3326fc48067p-6, -0x1.6ec8d96a8721ap-2}, {0x0p+0, -0x0p+0, -0x0p+0}}},
     {.type = TACT_CYLINDER, .radius = 0x1.4175c94149295p-3, .height = 0x1.e76ce80cf2401p-3, .at = {{0x1.4fb48e2dbdd35p-15, -0x1.6764f0ab5297p-15, 0x1.0888e7935853bp-13}, {-0x1.c71262ad3575p+1, -0x1.cbfb93ff0e34ap+4, -0x1.145eb36846559p+3}, {0x1.cbb147c1806adp+4, -0x1.7a8149bd6d04dp-1, -0x1.2bb8131ddf95cp+3}, {0x1.8104ff09ff72cp+0, -0x1.d4881ce30e8dep+1, -0x1.aa1ac8a31ab0bp-2}}},
     4.094354585595537e-12},
    {"sphere and polygon: the same, a two-thousandth of the depth",
     {.type = TACT_SPHERE, .radius = 0x1.be4d4c5934e34p-1, .margin = 0x1.892482fd011bfp+8, .at = {{0x1.0b8d883333618p+17, -0x1.959fb5a7e8b1cp+16, 0x1.f6b502e1b5ddbp+13}, {-0x1.4f49b6ccb1d07p+16, -0x1.7464f3feb64d3p+16, 0x1.c35b0e5353b8bp+16}, {0x1.76f845683429ap-3, 0x1.34511d61250cfp-2, 0x1.89a6ce63a17c8p-2}, {-0x0p+0, 0x0p+0, -0x0p+0}}},
     {.type = TACT_POLYGON, .margin = 0x1.1742da96508dp-1, .count = 8, .points = {{0x1.77bfb9a3cba5p-1, 0x1.9f2eaff3d65fep-4, 0x1.9b0e412b07aa6p-2}, {0x1.779fc81a1e92cp-3, 0x1.97f55c3f15e83p-2, 0x1.e3247f6330a2p-5}, {0x1.5450333ec390ep-2, 0x1.56d6184fd8124p-1, 0x1.bff7fbb9c398dp-2}, {0x1.ecd02e0a95ec6p-3, 0x1.e164a6d9e3b05p-4, -0x1.bd2e49098018cp-4}, {0x1.59fc60cec5d56p-1, 0x1.70f02ca607b3fp-2, 0x1.19be70a6c24ap-1}, {0x1.b7a086e43fa7ap-3, 0x1.89ad62db025fap-3, -0x1.354164cc995a8p-4}, {0x1.f937ec7c50f6bp-2, 0x1.3c67f85a2d953p-1, 0x1.21f642a29a25ap-1}, {0x1.d88f893737222p-3, 0x1.259560571aef2p-3, -0x1.9225e991448cp-4}}, .at = {{-0x1.6740a8b6ec4a3p+1, -0x1.5ec2a28233272p-2, -0x1.79b0917378fbbp+0}, {0x1.8071865df11f8p-2, -0x1.956087c1ed9a9p+1, 0x1.598036edf7a81p-6}, {-0x1.77a299f852346p+0, -0x1.3dae4c57b4a2p-3, 0x1.69e87ceeb1d87p+1}, {-0x0p+0, 0x0p+0, -0x0p+0}}},
     393.2378485145963},
    {"cone and ellipsoid: the same",
     {.type = TACT_CONE, .radius = 0x1.7fdb0c9d57df9p-2, .height = 0x1.19179207fdbbbp-2, .at = {{-0x1.4cd66a643de17p+5, 0x1.6ed1212dbeb1dp+5, -0x1.5aa11dc8230f5p+0}, {0x1.20207e66f7f3bp-7, 0x1.3ab2ff3a3dec4p-7, 0x1.c2ea1f31a1443p-5}, {0x1.66cdd0654e56fp+5, 0x1.4236cffd15e95p+5, -0x1.c625b3c4a3882p+3}, {-0x0p+0, 0x0p+0, -0x0p+0}}},
     {.type = TACT_ELLIPSOID, .margin = 0x1.7c41b1a6ac2c5p-7, .size = {0x0p+0, 0x1.902294615a83ep-2, 0x1.6e59a43036899p-1}, .at = {{-0x1.189929e4cd1bfp+2, -0x1.4026940382208p+0, 0x1.6dc7dfe542319p+2}, {0x1.57bd560b63e5dp+2, 0x1.f8c095c4df244p+0, 0x1.234d39d375199p+2}, {-0x1.28f2f52f536f2p+1, 0x1.bb678c6be37dcp+2, -0x1.0e00f3f4cca4dp-2}, {0x1.76d81971ca9a9p+4, -0x1.979759bd73a29p+1, -0x1.cb2e9ba44a3a9p-1}}},
     2.0112797432386447e-05},
    {"polygon and cone: the same",
     {.type = TACT_POLYGON, .count = 9, .points = {{-0x1.1b14c6f915031p-1, 0x1.c732825c8e91ep-2, -0x1.77126ee6bc32bp-1}, {-0x1.191c1458b0659p-1, 0x1.aed25f8ced8a4p-2, -0x1.7d26e78769885p-1}, {-0x1.a997a599d44fbp-2, -0x1.b6e7224d1394p-2, -0x1.611bb66a69bep-7}, {-0x1.00d59159519fep-1, 0x1.a1b77ebc4ee2p-4, 0x1.3ac436f47cab4p-2}, {-0x1.ab9004ee9aee1p-2, -0x1.ac6abd45bcc0ap-2, 0x1.28dc114d23b08p-4}, {-0x1.11fff0eaacbdfp-1, 0x1.568958e8b1108p-2, -0x1.8a41aee85cfa1p-1}, {-0x1.23976a0b4f7b2p-1, 0x1.11bd8356b5475p-1, -0x1.73a709f967d8ep-4}, {-0x1.29c92d9090234p-1, 0x1.3bbd7d4aba9ccp-1, -0x1.911d668751b88p-2}, {-0x1.b2c770c80d64p-2, -0x1.77238bfad158cp-2, -0x1.3487df60dc12cp-2}}, .at = {{-0x1.12fb0b520f66bp-4, 0x1.ced0e6dffc6cdp-5, 0x1.d14a64cd295f7p-9}, {0x1.926df1dee1a4cp-21, 0x1.ba40f105c3d62p-21, 0x1.1e135f941fa0dp-20}, {-0x1.306d99459a07cp-5, -0x1.8a5b8f04f79fp-5, 0x1.037961b037ad5p-4}, {0x0p+0, 0x0p+0, -0x0p+0}}},
     {.type = TACT_CONE, .radius = 0x1.3f75a0d201b96p-1, .height = 0x1.01f2b7d677123p-1, .margin = 0x1.9ee578d08c058p+5, .at = {{0x1.ba000b8bfdb23p+6, -0x1.9177d272500c9p+8, 0x1.37042dd930b31p+9}, {0x1.27067d401b8dcp-3, 0x1.28ff5ed18934ap-2, 0x1.4af68148b8bebp-3}, {-0x1.52deebf691eddp+9, 0x1.8c7e0edb184fep+7, 0x1.f0b1b4b1e6d6p+7}, {-0x1.7e9636f44bb6bp+8, 0x1.04b17bdf70f9fp+7, -0x1.1e09f37a32c6ep+3}}},
     2.6322610982808248e-06},
    {"cylinder and hull: points were moved along the surface only up to a part of the distance from touching",
     {.type = TACT_CYLINDER, .radius = 0x1.5a4e1e74b28a6p-3, .height = 0x1.e27e75ce00318p-4, .at = {{-0x1.2f9aa02004593p-25, -0x1.0de2bab8cb662p-24, -0x1.3aaed4c2a1b51p-29}, {0x1.c290fcb8d0ebep-26, -0x1.261aaf4d794ap-26, 0x1.171401a653182p-24}, {0x1.85da46f169482p-12, -0x1.a707ff44d7d87p-13, -0x1.aa2826b970549p-13}, {0x1.b4c1b6b591b37p-11, -0x1.12fb56a1ed159p-10, 0x1.4382307b03c58p-14}}},
     {.type = TACT_HULL, .margin = 0x1.2d0ed309b3bcbp-14, .count = 10, .points = {{-0x1.f27f7874882c8p-2, 0x1.4bf951be13a1p-4, -0x1.7a23f2204f34cp-3}, {-0x1.eaa89cfa57008p-2, 0x1.99c3f856b40f4p-3, 0x1.2dd5c48efd144p-3}, {0x1.e157af4e49d38p-3, 0x1.91d73f2d9d722p-2, -0x1.7b30594b2e74p-7}, {-0x1.ef9d33be27438p-2, -0x1.fefbda8accff4p-2, 0x1.63b0829179c1ap-2}, {0x1.fe2d2341f318p-2, 0x1.fb990b735b2bep-2, -0x1.5fb57018800f8p-2}, {-0x1.11a3ccb9861bp-3, -0x1.b3bae907ccadcp-3, 0x1.8600b58b08f8ap-2}, {0x1.c42c3a9950eccp-2, 0x1.d40946ae5477p-3, 0x1.b6718157db3aep-2}, {0x1.469e55fcac744p-3, -0x1.ef21575aab35p-4, 0x1.aea09605cb9fcp-3}, {0x1.2842c65b6da2cp-3, 0x1.e693882b4034p-7, -0x1.2537101b04b18p-4}, {-0x1.6e5a403b180c8p-3, 0x1.10b954a3403eap-2, -0x1.5c2020d1a8f6p-5}}, .at = {{0x1.2fa951e1bbd24p-11, 0x1.fdfea1b15b515p-14, 0x1.06187d93b9df2p-10}, {-0x1.28b7dab6bf7b3p-18, 0x1.58503c35aed42p-11, -0x1.443ed39d41f11p-14}, {0x1.7eeb542fb25dbp-12, -0x1.7339dd5c2c892p-16, -0x1.b600ca37b753fp-13}, {0x1.4cff96c389686p-11, -0x1.2bb044566b8f1p-10, -0x1.286b47259d477p-12}}},
     1.9978003815783949e-10},
    {"hull and cone: the same",
     {.type = TACT_HULL, .margin = 0x1.bdc2e2ef4e8e2p-11, .count = 11, .points = {{-0x1.3abbf6dce9be6p-2, -0x1.9be69004e52a2p-4, 0x1.867d73c4cbaecp-2}, {-0x1.3932c58b1afdcp-2, -0x1.94cdd66b2050cp-2, -0x1.b2a4870d09ebcp-7}, {-0x1.802ba88ee51ffp-2, -0x1.f9aa43d25c8d9p-3, -0x1.c208c203b3664p-3}, {-0x1.b8e8234b61e5ep-3, 0x1.c13792cb8f4a9p-2, 0x1.b18efbff376bap-4}, {-0x1.9c1ee2fe66e5ap-3, 0x1.64055ddf4c916p-2, -0x1.30d90d1e4895cp-2}, {0x1.4ab9fb5e512ccp-2, 0x1.86b781d80d256p-2, 0x1.46e2c218f3ad1p-7}, {0x1.e1e124da8329ap-3, -0x1.7de8c0cb2e095p-2, -0x1.e2a60941adec9p-3}, {-0x1.7bfb63caaf32bp-3, -0x1.4fc0a00de2cfcp-2, -0x1.50a0814dd32b9p-2}, {-0x1.2fcbaf3c805bdp-7, -0x1.2a9c75a0922p-2, 0x1.9fcb721399076p-2}, {-0x1.49f3639b75f95p-2, -0x1.1d7312a5b13e5p-2, -0x1.0bf230fc9d922p-2}, {-0x1.5bb9027c6fb7cp-2, -0x1.b97bfbdc981e3p-3, 0x1.3025d03527281p-2}}, .at = {{-0x1.0b065075e404fp-2, 0x1.afc58411f76efp-3, -0x1.3986e291c826dp-6}, {0x1.8ef28e913aa4cp-4, 0x1.7b0021406234p-4, -0x1.3b3a0069948e1p-2}, {-0x1.80eea6442ba5dp-3, -0x1.f4d564d86d0c6p-3, -0x1.1054bf3d32d3ap-3}, {-0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_CONE, .radius = 0x1.6b479ec38b815p-2, .height = 0x1.540f15269697cp-2, .at = {{0x1.256c87d67e3dep-2, 0x1.f5b9579bd1556p-3, 0x1.1d784ccf18494p-6}, {0x1.edb4a6478ef5p-3, -0x1.10a5efbb11068p-2, -0x1.05cc566f6eed4p-3}, {-0x1.90ed1f1b39168p-5, -0x1.701770121877cp-6, -0x1.ef11c37d50921p-4}, {0x1.7e7a1e40f0cdfp-3, -0x1.2b24bdf104539p-4, 0x1.14a22355e7a82p-3}}},
     6.1235808284890874e-10},
    {"cone and point: near an apex Newton's method did not start before 40,000 facets were used",
     {.type = TACT_CONE, .radius = 0x1.041dc6da3e687p-2, .height = 0x1.0feffabc1d1cdp-1, .at = {{0x1.740998ea7d57ap+8, 0x0p+0, 0x0p+0}, {0x0p+0, 0x1.740998ea7d57ap+8, 0x0p+0}, {-0x0p+0, -0x0p+0, -0x1.740998ea7d57ap+8}, {0x0p+0, 0x0p+0, -0x0p+0}}},
     {.type = TACT_POINT, .count = 1, .points = {{0x1.8c03262c9014cp-3, 0x1.f2a50bcf28d5p-5, -0x1.8c9e4d57c1c08p-4}}, .at = {{0x1.568a7b0782b93p+6, 0x0p+0, 0x0p+0}, {0x0p+0, 0x1.568a7b0782b93p+6, 0x0p+0}, {0x0p+0, 0x0p+0, 0x1.568a7b0782b93p+6}, {-0x1.08f136819f137p+4, 0x1.765937701e931p+6, 0x1.095903a250152p+3}}},
     1.5785612046032587e-06},
    {"ellipsoid and custom: where the value curves down, Newton's method did not descend",
     {.type = TACT_ELLIPSOID, .size = {0x1.e9c0144563b41p-1, 0x0p+0, 0x1.c908a64d18226p-3}, .at = {{0x1.73b7b9e514db1p-5, 0x1.13b96b3859862p-4, -0x1.5937d2fcb2a98p-1}, {0x1.e3f891d1c860fp-4, 0x1.5449ba8121888p-1, 0x1.305b552ad9d5bp-4}, {0x1.559e79de987e8p-1, -0x1.f4d61bd5897d3p-4, 0x1.0bd6a10808cb5p-5}, {-0x1.457969a81fbfbp+10, 0x1.1fffcd6a21dbep+8, 0x1.62b7be02d7889p+11}}},
     {.type = TACT_SPHERE, .custom = true, .radius = 0x1.2c52b43b5d145p-1, .at = {{0x1.6a7e95c266046p+5, 0x1.0ce206740e14bp+6, -0x1.50a70205d08ffp+9}, {0x1.d7f665fe22d3bp+6, 0x1.4bd83a56cddc6p+9, 0x1.28ce10f9e38eep+6}, {0x1.4d248548e10a8p+9, -0x1.e868cf1c1dd75p+6, 0x1.05315390c7907p+5}, {-0x1.457969a81fbfbp+10, 0x1.1fffcd6a21dbep+8, 0x1.62b7be02d7889p+11}}},
     397.7919674330515},
    {"tetrahedron and custom: a small body in the centre of a curved one: the nearest local minimum was not the global one",
     {.type = TACT_TETRAHEDRON, .count = 4, .points = {{0x1.23b7e8e9892cp-5, -0x1.e361058700c8p-8, 0x1.9c2782c96a0cp-4}, {0x1.549a4813c710cp-2, -0x1.d8dca33b8a83p-4, 0x1.a6d352d84e4c8p-3}, {-0x1.7c0535a1ce96p-2, -0x1.fcede813e31dp-5, -0x1.0bdc7800d6e2ep-2}, {-0x1.dc7457e6f71d2p-2, -0x1.b7c5cfffd0eep-5, -0x1.cb266e3ea4a98p-2}}, .at = {{-0x1.3c81e7abf8bdbp-1, 0x1.b01e7341bfad2p+0, 0x1.a36fec11639d2p+2}, {0x1.77b3736bffbe8p+0, -0x1.990560ab511c9p+2, 0x1.c8d369aea80e5p+0}, {0x1.a6d1b3d06c8a8p+2, 0x1.93dfc48c38e6fp+0, 0x1.bc113936edd1cp-3}, {0x1.071317454544cp+13, -0x1.6582592975ea8p+13, -0x1.b690a677b0cd2p+11}}},
     {.type = TACT_SPHERE, .custom = true, .radius = 0x1.02c9bdafb1916p-3, .at = {{-0x1.860817c030eep+12, 0x1.9d929ae4cbf96p+11, -0x1.6086c204b9d9p+12}, {-0x1.54513d0a91884p+12, 0x1.a61132a614442p+10, 0x1.b66b08372876ap+12}, {0x1.c4a280ce13533p+11, 0x1.01850f9700c06p+13, 0x1.9dbfe129946dcp+9}, {0x1.071317454544cp+13, -0x1.6582592975ea8p+13, -0x1.b690a677b0cd2p+11}}},
     1141.9384559501573},
    {"point and custom: the kink of a custom cylinder was taken for a smooth surface",
     {.type = TACT_POINT, .count = 1, .points = {{0x1.9ac91ad60c458p-3, -0x1.e7ad6b4ca602cp-2, -0x1.cfb4f525b5fb8p-3}}, .at = {{0x1.cf9fabc8fd66fp-9, -0x1.fd04d3b54f46cp-9, -0x1.20600f7e57c44p-7}, {-0x1.36e6e286c0d12p-8, 0x1.e86c7c0b9ec54p-8, -0x1.547e13350462fp-8}, {0x1.1234c9c713d96p-7, 0x1.807948011106fp-8, 0x1.9616138fa7d13p-11}, {0x1.906a774ef77e9p+20, -0x1.3f1cb0afbe764p+23, -0x1.b3a0bd14dc3e8p+21}}},
     {.type = TACT_CYLINDER, .custom = true, .radius = 0x1.6283016fb65a1p-2, .height = 0x1.b98d6a44d44b7p-1, .at = {{0x1.18d632c30c4e3p+19, 0x1.87566ce3c6f1fp+17, 0x1.fc4234b344fefp+17}, {-0x1.3687415bf2b5p+18, 0x1.cbfde3f3e8c15p+18, 0x1.4c26d5abbc46fp+18}, {-0x1.4100748acf69dp+16, -0x1.9a724d3a198bfp+18, 0x1.ed651a9b43694p+18}, {0x1.906a774ef77e9p+20, -0x1.3f1cb0afbe764p+23, -0x1.b3a0bd14dc3e8p+21}}},
     229296.7593624143},
    {"box and custom: the same for a custom hull",
     {.type = TACT_BOX, .size = {0x1.14a78e620c70bp-2, 0x1.4edc9bed211a2p-2, 0x1.c0b9f9ca80b77p-1}, .at = {{-0x1.4bf35435cdd76p+8, -0x1.cbaec5cdc02a3p+7, -0x1.01b4e2d2c78f2p+7}, {-0x1.fc926712ad763p+14, 0x1.2bf3b5732c4ccp+18, -0x1.c526cff1eeb29p+18}, {0x1.50f1a78841004p+18, -0x1.5943215c75769p+18, -0x1.f8580422062e4p+17}, {-0x0p+0, 0x0p+0, -0x0p+0}}},
     {.type = TACT_HULL, .custom = true, .count = 10, .points = {{0x0p+0, 0x1p-2, -0x1p-2}, {0x1p-2, -0x1p-2, 0x0p+0}, {0x1p-2, -0x1p-2, 0x0p+0}, {-0x1p-2, -0x1p-2, 0x1p-2}, {0x1p-2, -0x1p-2, 0x1p-2}, {0x0p+0, -0x1p-2, 0x0p+0}, {0x1p-2, 0x0p+0, -0x1p-2}, {-0x1p-2, 0x1p-2, 0x0p+0}, {0x1p-2, 0x1p-2, -0x1p-2}, {0x0p+0, 0x1p-2, 0x0p+0}}, .at = {{0x1.17e3abbe3fc66p+18, 0x1.8396b9e7b92bep+17, 0x1.b2942c5e97c85p+16}, {-0x1.4ddaeb0978461p+14, 0x1.89cf878cfa069p+17, -0x1.2979631132d8ap+18}, {0x1.ba60bce484c45p+17, -0x1.c54c8d92690c7p+17, -0x1.4b1460fb3ee11p+17}, {0x1.8a3ac44949614p+14, 0x1.ec85570b6ce83p+15, -0x1.c246bb7c387abp+13}}},
     41968.74053931808},
    {"segment and cone: the other side of a kink was sampled from too far",
     {.type = TACT_SEGMENT, .count = 2, .points = {{0x1.da79dcf01b5fp-4, -0x1.d292c0028ec8cp-3, 0x1.2bffc91d466e8p-2}, {0x1.f49290c11cbd8p-2, 0x1.8282853c91128p-2, -0x1.b47b25321df0cp-3}}, .at = {{0x1.0f476e67593f1p-26, -0x1.23cc938a6793fp-21, 0x1.01079876b44a5p-24}, {-0x1.12f13fbaf0ca5p-19, -0x1.70d9066c0d041p-30, 0x1.1ba4556222207p-21}, {0x1.13a35158f97a9p-21, 0x1.f6de0d01279dfp-23, 0x1.0b4383796e69ap-19}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_CONE, .radius = 0x1.6486637d8ab5p-2, .height = 0x1.666724321d08dp-2, .margin = 0x1.7e9723dd75cdap-25, .at = {{-0x1.b2b4a98aebc0bp-36, -0x1.9869afe886318p-37, 0x1.b3154ba9dd33fp-36}, {0x1.1121176b5d4aep-18, -0x1.1db94ad800aecp-17, 0x1.2bb99a108875p-24}, {0x1.7e2dfd7ba53e4p-18, 0x1.7506e8665a963p-19, 0x1.d563636a4c22fp-18}, {0x1.0a3847dbd42fp-19, -0x1.ec2702da3e27p-22, 0x1.9fd26bbae2172p-20}}},
     -1.9399970303782727e-23},
    {"tetrahedron and cylinder: points across the sharp rim of a needle",
     {.type = TACT_TETRAHEDRON, .margin = 0x1.c7d01cfb67529p+5, .count = 4, .points = {{0x1.1b508f80a055cp-3, -0x1.de11887f5b044p-2, 0x1.9706eff53068p-2}, {0x1.fb58c7316725cp-2, 0x1.3206d2a5ecb18p-2, 0x1.026870c94bfaap-2}, {-0x1.5a2a66758c098p-4, -0x1.3a3c54bc584f8p-3, 0x1.245408d134c3cp-2}, {-0x1.954c1af9866ap-5, -0x1.4563e0017d5dap-2, -0x1.5c7995c0a9a08p-3}}, .at = {{0x1.bf48c946c9b8fp+5, -0x1.c2b72734e2d5ep+5, 0x1.3dac181de2d18p+7}, {-0x1.8cf56a0d07b22p+7, -0x1.92075b51d6b7fp+5, 0x1.a051dd77d38fp+5}, {0x1.0ae34d90c3ea3p+6, -0x1.c6f39f44608e9p+8, -0x1.71b77590b88c7p+7}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_CYLINDER, .radius = 0x1.0b541e6057163p-1, .height = 0x1.b1ed1e0a018c6p-1, .at = {{0x1.853cdd272672ep+9, -0x1.4722f1d642f55p+4, -0x1.46740a17d787dp+11}, {0x1.9cdbddf4d846ep-6, -0x1.8bc3dea73ce2ep-6, 0x1.f8a7970cd34d8p-8}, {-0x1.7c35b888e15ep-6, -0x1.afaee72c8f544p-6, -0x1.b7d08a254f748p-8}, {0x1.d72450a31e95p+7, -0x1.99dfa82db0bap+7, -0x1.238fe459d2e23p+8}}},
     8.5430714062001423e-08},
    {"cylinder and triangle: the same",
     {.type = TACT_CYLINDER, .radius = 0x1.6088b747ff83fp-3, .height = 0x1.832be8accc36p-2, .at = {{0x1.0dc868c9fbeccp+1, -0x1.ed116ae1ab78dp-2, -0x1.0fb840bd798b3p-1}, {-0x1.29c03aa8cefdap+10, -0x1.4ddcbb91bd7f8p+10, -0x1.b7cc736504237p+11}, {0x1.baa74cce74786p+8, 0x1.c3e1b17b66d41p+11, -0x1.7c7ec4f5c8fc7p+10}, {0x0p+0, -0x0p+0, 0x0p+0}}},
     {.type = TACT_TRIANGLE, .margin = 0x1.e3c31e6ae0c8ep-17, .count = 3, .points = {{-0x1.42d749f774146p-2, 0x1.67431486b0fdcp-3, 0x1.30f8320c14b2p-4}, {-0x1.11b59ceec946p-3, -0x1.22a39fd835f78p-3, 0x1.ba5967093c67cp-3}, {0x1.1272e7b946e3p-5, -0x1.0ea5d8de6397cp-2, -0x1.ca5ee7728414p-5}}, .at = {{0x1.3b6c5a02e6d61p-15, -0x1.9a3610616f77ep-18, -0x1.e2f8bfa4d592p-16}, {-0x1.368745350bcfbp-15, 0x1.d237f28fa43e9p-15, 0x1.58aa1108083a7p-15}, {0x1.e8287bf796885p-15, -0x1.9e91094def79ep-18, 0x1.11e7a84513ea4p-14}, {0x1.558b9d29ae5aap+7, -0x1.7b14be8c8e1e7p+7, 0x1.a9a9970c7da96p+9}}},
     1.6250663910998395e-09},
    {"capsule and ellipsoid: points off the surface within rounding of touch",
     {.type = TACT_CAPSULE, .radius = 0x1.6e5616b09e917p-1, .height = 0x1.1a96ac5008f64p-3, .at = {{0x1.a7ea4b3721ce5p-17, -0x1.336daf765dep-17, -0x1.1f586d970f2cfp-16}, {-0x1.43dff067c3e34p-16, -0x1.eb72653ae3c93p-19, -0x1.9c14f69d7bf78p-17}, {-0x1.208292467e7e7p-19, -0x1.5fbcf1f666a7cp-16, 0x1.431e108ec9bd7p-17}, {-0x0p+0, 0x0p+0, -0x0p+0}}},
     {.type = TACT_ELLIPSOID, .size = {0x1.0de77bdc98879p-3, 0x1.b0f748e64c6d8p-3, 0x1.48c770b52649dp-3}, .at = {{-0x1.7f2b287d462cbp-12, -0x1.31c2af09de533p-11, 0x1.55316047d8f7ap-12}, {-0x1.60d8c2e1abee9p-12, -0x1.4eb167d16413p-13, -0x1.5c188bd4ca4c6p-11}, {0x1.940465c2c2a1ep+8, -0x1.43f36e712e98cp+8, -0x1.fb95b5339c39fp+6}, {0x1.30cd706ebf522p+5, -0x1.e8cc6c89b7828p+4, -0x1.7ef06a0c0fb95p+3}}},
     -1.9237803447127185e-15},
    {"polygon and triangle: a triangle of 1e-6 at a polygon of 1e5: the gap for finding the points was wide beside it",
     {.type = TACT_POLYGON, .count = 9, .points = {{0x1.2a38218c03909p-1, -0x1.01059af4d366ep-2, -0x1.70b9382876c48p-2}, {-0x1.31acbae78809p-6, -0x1.533259b8f5312p-2, -0x1.1c23818429927p-2}, {-0x1.e4c87869030cp-5, -0x1.0c57e8546d13ap-4, 0x1.3b6ad8835726p-3}, {0x1.5bb435b4e34bcp-1, -0x1.5ea89658ec2edp-3, -0x1.12c0602384362p-2}, {0x1.4f0449c5afb0ap-1, -0x1.936f427233cfbp-3, -0x1.33651d7ed4cfap-2}, {0x1.045a58250ec36p-2, -0x1.6e64c7bfdd828p-2, -0x1.a7ddee3820631p-2}, {-0x1.0f0e90da0e3f8p-4, -0x1.2767fabf120d2p-4, 0x1.2b23073fd4d58p-3}, {0x1.29b344a76ac2fp-3, 0x1.977ebeb5fae7cp-5, 0x1.0e666f19f544ap-2}, {-0x1.b631420de3abp-6, -0x1.4fc5af6174853p-2, -0x1.13e267022e368p-2}}, .at = {{0x1.6ebf7de964901p+8, 0x0p+0, 0x0p+0}, {0x0p+0, 0x1.6ebf7de964901p+8, 0x0p+0}, {0x0p+0, 0x0p+0, 0x1.b525e9f851c1cp+18}, {-0x0p+0, -0x0p+0, -0x0p+0}}},
     {.type = TACT_TRIANGLE, .count = 3, .points = {{0x1.a086510900b7ep-2, -0x1.cb47b40e6a3ccp-2, 0x1.b3e281efa083p-3}, {-0x1.6f94a595ef76cp-3, -0x1.4796ce96f30f2p-2, -0x1.3ff2f66b165c8p-4}, {-0x1.656ad498a97cp-7, 0x1.4605e5600b2p-4, -0x1.8fab22a4b4756p-2}}, .at = {{0x1.0cbdac02c37e3p-21, 0x0p+0, 0x0p+0}, {0x0p+0, 0x1.2174cded9b588p-20, 0x0p+0}, {-0x0p+0, -0x0p+0, -0x1.f45555df8fc7bp-21}, {0x1.cea82df4ffc6ap+7, -0x1.bba02b303b1d7p+5, -0x1.80d5e2e07d1ecp+16}}},
     1.4344979343833742e-09},
    {"custom and cone: a flat custom shape, stretched where it has no extent: rounding was measured by the stretch",
     {.type = TACT_ELLIPSOID, .custom = true, .size = {0x1.48ac618467de9p-3, 0x0p+0, 0x1.05686ad2cd035p-1}, .at = {{-0x1.08eeca37a78b3p-5, -0x0p+0, -0x0p+0}, {0x0p+0, 0x1.ba90e2e3c586ep+8, 0x0p+0}, {0x0p+0, 0x0p+0, 0x1.08eeca37a78b3p-5}, {-0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_CONE, .radius = 0x1.ec79f1f123f97p-2, .height = 0x1.fcdbc59f3fa8bp-3, .at = {{-0x1.59d8a9c2b106bp-16, -0x0p+0, -0x0p+0}, {0x0p+0, 0x1.bd7c45c363a5cp-26, 0x0p+0}, {0x0p+0, 0x0p+0, 0x1.59d8a9c2b106bp-16}, {0x1.863120f6284f6p-9, 0x1.bac085d2b4p-29, 0x1.bc00b26cc8114p-7}}},
     -5.375681364859616e-20},
    {"cone and sphere: the base kept Newton's method from the side, which is closer by 3e-6",
     {.type = TACT_CONE, .radius = 0x1.65dc8d1d8b761p-2, .height = 0x1.edb7b61957812p-3, .at = {{-0x1.06b65354c6456p-3, 0x1.3f17e1e415223p-1, -0x1.dbaa838bddffap+1}, {0x1.8e59c34ae5477p-7, -0x1.840a01491ee0fp-8, -0x1.7250bbeb4a4a7p-10}, {-0x1.aee48824b1f22p+0, -0x1.ab07eb241c1bfp+1, -0x1.00b81ce1af16bp-1}, {-0x0p+0, -0x0p+0, -0x0p+0}}},
     {.type = TACT_SPHERE, .radius = 0x1.5855ea442293p-3, .at = {{0x1.57ae36d2cc0fep-17, 0x1.706a4dfd24cd6p-18, -0x1.d0ecbfd2cbde1p-19}, {-0x1.a2f7199c99cdbp-18, 0x1.b823d4c04f82bp-18, -0x1.0ea3360e2ae63p-17}, {-0x1.dd454285d2b04p-20, 0x1.206f8f1219aa3p-17, 0x1.18b87b378398p-17}, {-0x0p+0, -0x0p+0, -0x0p+0}}},
     0.0016407948883930012},
    {"custom and custom: a small custom hull in a custom sphere: the curvature hid its kinks",
     {.type = TACT_HULL, .custom = true, .count = 9, .points = {{0x1.c5e059625db56p-2, 0x1.e092295dc9028p-4, 0x1p-3}, {-0x1.79ebfd38c0e08p-3, 0x1.71fa68800335cp-2, 0x1p-3}, {-0x1.d75a2cbd16542p-2, 0x1.1201068ce7f0cp-3, 0x1p-3}, {-0x1.1a4e2e9edfabcp-2, -0x1.1b47b582f07d4p-3, 0x1p-3}, {0x1.c5e059625db56p-2, 0x1.e092295dc9028p-4, 0x1p-3}, {-0x1.e364a8cc1c50ap-2, -0x1.896121f9646f2p-2, 0x1p-3}, {-0x1.2b6bbec011ebp-5, 0x1.fc88b07640d84p-3, 0x1p-3}, {-0x1.e364a8cc1c50ap-2, -0x1.896121f9646f2p-2, 0x1p-3}, {-0x1.b3235a56b34b2p-2, -0x1.62d3ed8a6559ep-2, 0x1p-3}}, .at = {{0x1.355b8fc72a75p-21, 0x1.791aae3e014adp-23, 0x1.51c06707484dap-19}, {0x1.4e2cd5ab45096p-19, -0x1.e7c7e7d976eb5p-22, -0x1.21100d27b3676p-21}, {-0x1.b324ed472c24bp-22, -0x1.55161673d0885p-19, 0x1.220def1e4d2f4p-22}, {-0x1.f2ca9ef98d323p-1, -0x1.8d987d533665cp+3, -0x1.1d11aa059bd1ep+1}}},
     {.type = TACT_SPHERE, .custom = true, .radius = 0x1.b839130d3427dp-1, .at = {{-0x1.ba9bb7202308bp-11, -0x1.849948f6bf683p-11, -0x1.68f22161eadb8p-12}, {0x1.a6cda9c3a0056p-11, -0x1.6218f607f7feep-11, -0x1.127856254fee2p-11}, {0x1.159cbacfac177p-13, -0x1.41128a9a507c1p-11, 0x1.0490bc855207ep-10}, {-0x1.f2ca9ef98d323p-1, -0x1.8d987d533665cp+3, -0x1.1d11aa059bd1ep+1}}},
     0.0010099248635233211},
    {"sphere and custom: a flat custom shape, stretched where it has no extent",
     {.type = TACT_SPHERE, .radius = 0x1.f2189028c1554p-2, .at = {{-0x1.ac619710f0db9p-22, 0x1.4c84394152218p-21, 0x1.0ac51db4d89bbp-20}, {-0x1.307a7b2700cfdp-22, -0x1.a1489352dd5d8p-20, 0x1.79f15eecf1254p-22}, {0x1.cce62eeac2e48p-23, -0x1.5af201d99b19p-25, 0x1.5c72d12f9075dp-20}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_BOX, .custom = true, .size = {0x1.94894b8ada163p-1, 0x1.2b780c3689fc3p-3, 0x0p+0}, .at = {{0x1.3cf3190e69d1p-11, 0x1.bf8bb847fc93cp-11, -0x1.c3c6f12eba048p-10}, {-0x1.f84ee3041d27bp-11, -0x1.76e75e153c066p-10, -0x1.1225a5ced563ep-10}, {-0x1.d6bc855b4c98p+8, 0x1.41111ba3f2aa6p+8, -0x1.861ca41b1f19ep+2}, {0x1.120243287d9fap-12, 0x1.891e9ac8c0f41p-12, -0x1.ea39356e4ae4ep-12}}},
     -5.0925686834108811e-14},
    {"cylinder and cone about one origin: a zero direction counted as separating",
     {.type = TACT_CYLINDER, .radius = 0x1.02ff155ec199fp-2, .height = 0x1.82f3b44037be8p-2, .at = {{0x1.1c04a4822b077p-16, 0x0p+0, 0x0p+0}, {-0x0p+0, -0x1.f5f0706233fccp-18, -0x0p+0}, {0x0p+0, 0x0p+0, 0x1.a0c03caa2eed3p-15}, {-0x1.ee23f7f6beb22p-8, 0x1.96c94974422cbp-9, -0x1.7d6b56545280ep-9}}},
     {.type = TACT_CONE, .radius = 0x1.d228aca06e02bp-3, .height = 0x1.c2ccde0b78dc8p-3, .margin = 0x1.5914b686450e5p-17, .at = {{0x1.c6ddadaad6e6dp-19, 0x0p+0, 0x0p+0}, {0x0p+0, 0x1.3f2e8f4db8982p-16, 0x0p+0}, {0x0p+0, 0x0p+0, 0x1.84c636e26d451p-17}, {-0x1.ee23f7f6beb22p-8, 0x1.96c94974422cbp-9, -0x1.7d6b56545280ep-9}}},
     1.3791230747741932e-05},
    {"polygon and polygon: the cores' points lay along GJK's normal, which was replaced by a normal of features that was no better",
     {.type = TACT_POLYGON, .count = 8, .points = {{-0x1.eb74adf57c262p-2, -0x1.4f2708aaf6b1p-4, 0x1.651a8e1aa9acap-6}, {0x1.adb3bc4c820b2p-2, -0x1.3c98c4f41eb24p-1, 0x1.5023747955936p-5}, {-0x1.35b0c6d533d1cp-2, -0x1.22fdbb153dcfp-2, 0x1.57c859540fbfep-4}, {0x1.e3b88a23d93bcp-2, -0x1.5be76d91cd542p-1, 0x1.ec6c5fa897dep-5}, {0x1.5f98560c53ac9p-2, -0x1.13485fa1116a6p-1, 0x1.28d5657253f54p-6}, {-0x1.b8e376aa7687p-6, -0x1.117f854cc63aap-1, 0x1.220f4fba2dda8p-3}, {-0x1.0381f88216c7cp-1, -0x1.5789d39fc4ec8p-5, 0x1.be1345a8bc3cp-8}, {0x1.be14235231fd8p-2, -0x1.45c9c5990288bp-1, 0x1.7c9e196a16174p-5}}, .at = {{-0x1.c535f04417d9fp+16, -0x1.dce3199d0952bp+16, 0x1.3f7e801437092p+17}, {0x1.ab3ef28d18a11p+15, -0x1.514f6fb9d23eap+14, 0x1.6251bd9914a12p+14}, {0x1.478c5b4f76698p+13, 0x1.36a1a0350c05fp+17, 0x1.ecb2ad43acbb3p+16}, {-0x1.5f83ae1ff2e7ep+13, 0x1.42ce9fe1b819cp+16, -0x1.1e81598d0f8bap+13}}},
     {.type = TACT_POLYGON, .margin = 0x1.c6df5696bb1abp-22, .count = 9, .points = {{0x1.3a1f97b8dcef6p-1, -0x1.cb0087a01338p-6, 0x1.59552a08b6d2ap-1}, {0x1.1b52c12d14d97p-1, -0x1.2f93720cdf7d1p-2, -0x1.5d9af189909b6p-2}, {0x1.7af9229691743p-3, -0x1.20719ce252e8ep-1, -0x1.131372ac1fbdcp-1}, {0x1.e1df62a9840cp-8, -0x1.e3c152dfb4601p-2, 0x1.51985737391b6p-2}, {-0x1.5c05b39406248p-5, -0x1.0b87bc6d658d8p-1, 0x1.ef8eeb6ace9c5p-3}, {0x1.6930854d3f5d6p-3, -0x1.4c4c84d70e634p-2, 0x1.0fc9e89975dd7p-1}, {0x1.a96087ea5ba78p-2, -0x1.9f49efdba8678p-2, -0x1.d198926aac8a2p-2}, {-0x1.1955797d1d714p-4, -0x1.613f493aea901p-1, -0x1.af9050d62345ap-2}, {0x1.27713700e8a5ep-3, -0x1.2d10860d4a1c7p-1, -0x1.13300a62ce0b6p-1}}, .at = {{0x1.d102f97750db2p-22, -0x1.0394360f0f489p-23, -0x1.b46bf0189b617p-21}, {0x1.6a8f583021239p-21, -0x1.6bb563657c9bcp-20, 0x1.2d5213ad84879p-21}, {-0x1.3815c9cfe1a58p-21, -0x1.a6cd4897f65f3p-22, -0x1.0da908ed0d692p-22}, {-0x1.048f12e1cca91p+16, 0x1.fc8183249e67dp+15, 0x1.68fb3cba74f14p+14}}},
     5.9501896854953677e-13},
    {"polygon and point: the same",
     {.type = TACT_POLYGON, .count = 6, .points = {{-0x1.73f3daeed00a2p-2, 0x1.81e5be3dfa086p-1, -0x1.29a466b03262ep-1}, {-0x1.71c559b9e3bbap-2, 0x1.00780fcde30ep-5, -0x1.27610b81a3bbep-3}, {-0x1.7909c61197fc4p-2, 0x1.d23783df75d8p-6, -0x1.353b03d3945fp-3}, {-0x1.96ec4e37c4ae8p-2, 0x1.76a7efd2b9f33p-1, -0x1.37c50c5cefc3bp-1}, {-0x1.93b88abbf147dp-1, 0x1.d77c2b7079p-3, -0x1.8c8d7ddba1b3fp-1}, {-0x1.5e5f950bccc1ep-2, 0x1.8863eeee75022p-1, -0x1.20a856d3a708fp-1}}, .at = {{0x1.9b9b3b609d959p+13, 0x1.3ac9d24a6a62cp+15, -0x1.eacd4b0f5023fp+14}, {0x1.61ebd6bb68eb7p+15, 0x1.69a4990f49a7fp+12, 0x1.9cc9840c7a746p+14}, {0x1.7111d3e1bd70bp+14, -0x1.063bfd3b84a3ep+15, -0x1.0300904d58ce8p+15}, {-0x0p+0, -0x0p+0, -0x0p+0}}},
     {.type = TACT_POINT, .margin = 0x1.a6da31944ee9cp-20, .count = 1, .points = {{-0x1.b92562d6ea3p-9, -0x1.8c484bef5b6cap-2, 0x1.658ce41e23108p-4}}, .at = {{-0x1.ac78c6aa35752p-17, 0x1.2dc4a889c1233p-17, -0x1.12f893a1198fcp-14}, {0x1.8218d645ce801p-17, -0x1.8f8b9c1589e9dp-14, -0x1.968cfafb46c2p-19}, {-0x1.afce8ae37c2e2p-15, -0x1.8a672431b14b6p-17, -0x1.cb412c2e43289p-15}, {-0x1.33246c91f39b3p+11, -0x1.7af920e55f14bp+12, 0x1.65a1163b36b0dp+14}}},
     1.1361143628147121e-09},
    {"polygon and tetrahedron: the same",
     {.type = TACT_POLYGON, .margin = 0x1.2f59ce47f532ep-18, .count = 10, .points = {{0x1.f3d6e0ad5e738p-1, 0x1p-2, 0x1.bbb45de0a8103p-3}, {0x1.fe58054bd0aedp-1, 0x1p-2, 0x1.492f8367b516bp-4}, {0x1.d10d79cd9cbf6p-2, 0x1p-2, -0x1.c827277f862bbp-1}, {0x1.3a45d2dc65061p-4, 0x1p-2, 0x1.fe7d9ed968b01p-1}, {-0x1.6c5804bb8ee87p-2, 0x1p-2, 0x1.de7eb382d9d4ap-1}, {-0x1.fc682dda873b4p-1, 0x1p-2, 0x1.e46799e6216c4p-4}, {0x1.ee54a6f9762e3p-1, 0x1p-2, -0x1.0ab135bf4e941p-2}, {0x1.fffeebb8367f8p-1, 0x1p-2, 0x1.09f24849ebc6bp-8}, {-0x1.978b91dfd97eap-3, 0x1p-2, -0x1.f5c294e1a3d99p-1}, {-0x1.9febf3740702cp-1, 0x1p-2, 0x1.2a95d31f92d71p-1}}, .at = {{0x1.18404e451b66cp-10, -0x1.97e9b4c7557dcp-11, 0x1.4c4667c6082f3p-11}, {0x1.1d4da488771ffp-10, 0x1.4c44eaccd2f51p-10, -0x1.25726d6c53dc9p-12}, {-0x1.76c376b7256a8p-12, 0x1.3c761896b8bfep-11, 0x1.604b1b3d9b633p-10}, {-0x0p+0, 0x0p+0, -0x0p+0}}},
     {.type = TACT_TETRAHEDRON, .count = 4, .points = {{0x1.3a7876b9dd28ep-2, 0x1.f09de455676bp-2, -0x1.d76064e866a24p-3}, {-0x1.f561ea26aa8dep-2, 0x1.86d14c918de1p-2, -0x1.d3b69b8cc87bp-3}, {0x1.db2996b2712bcp-2, -0x1.98d0454ec9d3p-3, 0x1.753185736fbe6p-2}, {0x1.db2996b2712bcp-2, -0x1.98d0454ec9d3p-3, 0x1.753185736fbe6p-2}}, .at = {{0x1.b19168cdd1b1ep-3, -0x1.3b88e64877ea5p-3, 0x1.0106b74579e69p-3}, {0x1.64f32a609c276p+10, 0x1.9fb5c69691caap+10, -0x1.6f237d8131b78p+8}, {0x1.1863912a2b90dp-4, -0x1.d9898ab8c245cp-4, -0x1.0793cb286b62p-2}, {-0x1.e133d61c38c34p+6, -0x1.182f33f79804ep+7, 0x1.ef3f196af1b2p+4}}},
     2.6092880433354823e-14},
    {"box and polygon: the same",
     {.type = TACT_BOX, .margin = 0x1.ddbddc6c45de6p-21, .size = {0x1.fad84d46b5e82p-2, 0x1.9e901af7c0cf7p-2, 0x1.5b3a4ee632abap-1}, .at = {{0x1.85ae27225dfd4p-19, 0x1.986ac9a3ca611p-17, 0x1.79819c60edc1dp-18}, {-0x1.63b816842ba89p-21, -0x1.7bbf21fad0663p-16, 0x1.9db5a6c42c911p-15}, {0x1.acacd48c5a0efp-17, -0x1.5a3825bf44898p-19, -0x1.0fb93923155c5p-20}, {-0x1.5f96b570fdaf1p+11, 0x1.1630e408e1bcp+13, -0x1.45549559bcee8p+13}}},
     {.type = TACT_POLYGON, .count = 9, .points = {{-0x1.147a4116e4727p-2, -0x1.ba6bc6a35816ep-1, -0x1.e1dfdf62c88f6p-2}, {0x1.1f8f9d66115fep-2, -0x1.be73ff9838682p-1, -0x1.3d488b38415cep-1}, {-0x1.3c5f42624f9fcp-3, -0x1.dd9061ff2d95dp-1, -0x1.1217606f513a2p-1}, {-0x1.b19151c71324cp-4, -0x1.3dec0ad399f92p-3, -0x1.46bae926d2c2ep-3}, {0x1.d0f4f984435ap-7, -0x1.196b877b918c8p-4, -0x1.2ef3a835f67bdp-3}, {0x1.0653f5465f47dp-1, 0x1.ac260967a818p-9, -0x1.f22ea4be073eep-3}, {0x1.b2abe4e26e2dfp-2, -0x1.8d535e3f4dbc6p-1, -0x1.381d75c8ea6d2p-1}, {-0x1.488d236804486p-2, -0x1.c817f3a3c35f4p-2, -0x1.fbb41d2027b15p-3}, {0x1.17b010f0c37d8p-6, -0x1.126a08727617p-4, -0x1.2ec19c9a7a89p-3}}, .at = {{0x1.583c382a88e16p+5, -0x1.68ab4c1237327p+5, -0x1.9f54419f27a12p+5}, {0x1.8b05e7f88d736p+12, -0x1.cb73425bf0a54p+10, 0x1.ab26a5a85e11ap+12}, {0x1.36eec386688b7p+12, 0x1.df6e2a44deba3p+12, -0x1.3d4031d283d1ep+11}, {-0x1.05441a9e85dcfp+7, 0x1.35095537e5a03p+13, -0x1.1b67883cb1635p+13}}},
     9.8481301109109093e-10},
    {"box and polygon: the same, where that normal proved more by a part of the noise",
     {.type = TACT_BOX, .size = {0x1.e5d5e3c657ba5p-1, 0x1.15fafb8ab9286p-2, 0x1.2a3829e70c779p-1}, .at = {{0x1.8b606d86bf6f7p+17, 0x1.22184bb8f8793p+17, -0x1.7603e6b263c4fp+15}, {0x1.922c29ad520c2p+15, -0x1.195dd6b8a3e58p+17, -0x1.bfcbaeada8a4dp+17}, {-0x1.bc8d84d0b6654p+15, 0x1.dd18118d55769p+15, -0x1.8f9740f110e3ap+15}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_POLYGON, .margin = 0x1.c8f437709f44ep-20, .count = 9, .points = {{0x1.e6156ccf5b71cp-1, 0x1.31af0024abecp-1, 0x1.78912e08596d2p-3}, {0x1.a953c690cd71ap-2, 0x1.8a9da74bb7098p-3, -0x1.d016a97cd375ep-3}, {0x1.526973e8903bep-1, 0x1.744422ca95ae2p-2, -0x1.bf735b35439ep-8}, {0x1.ea6b981f38ae9p-1, 0x1.3787194edbe71p-1, 0x1.70e354cac29b8p-3}, {0x1.6f446fdb24b2p-4, 0x1.5511c2df144f8p-5, -0x1.589387a30a366p-1}, {0x1.f6f0110b657bcp-4, 0x1.1eba7e8cdabcp-4, -0x1.4efe88b8aa93dp-1}, {0x1.a47742852a5f3p-1, 0x1.1c51908a32104p-1, -0x1.cca741d35186p-6}, {0x1.b4591896135cp-3, 0x1.048f995887336p-4, -0x1.b9eaa919aa19cp-2}, {0x1.865cf7bc18506p-2, 0x1.107ef05b16f95p-2, -0x1.d37c83777dafep-2}}, .at = {{0x1.f205d513490efp-22, -0x1.4d5d4ce8ae907p-19, -0x1.dde09ba9f0c9cp-22}, {-0x1.4cbec5b9f898ep-19, -0x1.871dbd1d6abf3p-22, -0x1.27ba714c56237p-21}, {0x1.f8be596b06303p-22, 0x1.1c59d140066d6p-21, -0x1.4af8642f5fe9cp-19}, {-0x1.2dcff9286c453p+16, -0x1.9116d09d5eda9p+16, 0x1.1246560c7a46dp+11}}},
     3.9956433200698818e-11},
    {"cylinder and triangle: apart; the points fitted neither normal",
     {.type = TACT_CYLINDER, .radius = 0x1.ba67ae9bfa964p-4, .height = 0x1.2837e5b089785p-3, .at = {{0x1.182b9d1fa3bd7p+6, -0x1.bc9edf4301d99p+4, -0x1.7851b642a6ebp+5}, {0x1.ad8649a5e6e79p+5, 0x1.4d9ff9da5c3f7p+4, 0x1.0e827bbb2164ap+6}, {-0x1.197ac14ba6ce6p-15, -0x1.1c6a592dffc14p-12, 0x1.ce82c44007c55p-14}, {-0x0p+0, -0x0p+0, 0x0p+0}}},
     {.type = TACT_TRIANGLE, .margin = 0x1.c953e62913bfbp-18, .count = 3, .points = {{-0x1.f84ea2583d7bap-2, 0x1.243e68a520f6p-2, 0x1.8ae8475e148cp-2}, {-0x1.7bfc6dc94ebb8p-4, -0x1.d036bd08627a8p-4, 0x1.05bbfc468a236p-2}, {0x1.245f98a2f4e4ap-2, 0x1.639086cde3c8p-4, -0x1.26eecab7189cp-4}}, .at = {{0x1.f3c5a5949ad28p-15, 0x1.47c1ce13ff1e9p-14, 0x1.48e4f75bfba59p-15}, {-0x1.96d7236f72961p-12, 0x1.60d5dec7fe626p-12, -0x1.540ff1089cfb7p-14}, {0x1.269e5ebc4ccd3p-15, 0x1.39406545e2b76p-16, -0x1.7beda3614cbe9p-14}, {0x1.55ede315f527fp+3, -0x1.30db06a6b5108p+0, 0x1.4a30e13436f2fp-2}}},
     -2.2748356706682427e-11},
    {"cylinder and point: on a needle the normal does not determine the points, nor does their distance",
     {.type = TACT_CYLINDER, .radius = 0x1.1bfcd084ffa41p-1, .height = 0x1.0b47881190f75p-3, .at = {{-0x1.35e0a072f0bf5p-18, 0x1.3cf7d02303af1p-18, 0x1.9cbf4eee132a2p-23}, {-0x1.2a5004cd87a0ep-18, -0x1.294a68b2a918ep-18, 0x1.15c1599be6764p-19}, {0x1.dda9ba04f7959p-35, 0x1.8726f6b72e91dp-35, 0x1.d1d6eb960711ep-33}, {-0x0p+0, -0x0p+0, -0x0p+0}}},
     {.type = TACT_POINT, .margin = 0x1.417d47b65d83bp-29, .count = 1, .points = {{0x1.34d2aa873672cp-3, -0x1.50b89c628e9aep-2, -0x1.923259fc7047p-3}}, .at = {{0x1.0af83007117a4p-20, -0x1.1114078ee7b8fp-20, -0x1.63985eede651fp-25}, {-0x1.b9994a274771fp-22, -0x1.b81605d875ca5p-22, 0x1.9b2ad7dc41e5ep-23}, {0x1.5ac687d42130ap-22, 0x1.1bf857edcb0a8p-22, 0x1.52311e64e7ab6p-20}, {-0x1.8663d65b1a86ap-22, -0x1.911a47bb777bfp-22, 0x1.dde217cf4a824p-22}}},
     1.0336694201372472e-14},
    {"cylinder and point: the same",
     {.type = TACT_CYLINDER, .radius = 0x1.ca232cca0da92p-1, .height = 0x1.6462321687db8p-2, .at = {{-0x1.dab32227556e1p-11, -0x1.2b827cb818f2ep-14, 0x1.1ba3addacadb8p-11}, {-0x1.1db7bb6363d53p-11, 0x1.69a998c4f4384p-13, -0x1.d23e6430c76b6p-11}, {-0x1.3d450b6bd53e1p+3, -0x1.6e0bc60fe3ff2p+8, -0x1.03a2f48abf6ffp+6}, {0x0p+0, -0x0p+0, 0x0p+0}}},
     {.type = TACT_POINT, .margin = 0x1.7a03c94c867f2p+9, .count = 1, .points = {{-0x1.0144a511194fp-3, 0x1.5a68aedbbcdep-6, 0x1.8a7ad15ee2a88p-3}}, .at = {{0x1.1ad1dbe5429aep+7, -0x1.bf1729d6fbeb3p+8, -0x1.3471f3162641fp+8}, {0x1.b7f85178c92b3p+8, 0x1.4289c905e85c2p+8, -0x1.09cf406e3dda6p+8}, {-0x1.ca877fae4c4adp+7, 0x1.9c23286f7465p+6, -0x1.fce9e15ea5015p+7}, {-0x1.51db00e837f6ep+8, -0x1.2fdacb2446655p+7, -0x1.48783ce8d169ap+9}}},
     0},
    {"cylinder and Minkowski sum: the same",
     {.type = TACT_CYLINDER, .radius = 0x1.f2843b2f00bfcp-1, .height = 0x0p+0, .margin = 0x1.d3d120a3c1d95p-6, .at = {{-0x1.02c9fddfcfadp+3, -0x1.321d7a2931b7p+3, -0x1.aec233a3e1fb5p+0}, {-0x1.d86a593c500ecp-15, 0x1.740b7012d246bp-15, 0x1.36cc28e3cd6ecp-16}, {-0x1.10582a9712766p-17, 0x1.44a7537001f3dp-16, -0x1.29cea812c5152p-14}, {0x0p+0, -0x0p+0, -0x0p+0}}},
     {.type = TACT_MINKOWSKI_SUM, .parts = {&(const shape_recipe){.type = TACT_BOX, .size = {0x1.418a47992b76bp-2, 0x1.45246f9ed326ep-2, 0x1.5519cd1e4489bp-1}}, &(const shape_recipe){.type = TACT_SEGMENT, .count = 2, .points = {{0x1.5e861710111p-3, 0x1.92d2d8b1a306p-3, 0x1.96d1e1f9d1cc4p-2}, {-0x1.a391646d3d334p-3, 0x1.98e912a264c9ep-2, 0x1.16d6418e66dc2p-2}}}}, .at = {{0x1.7ffb41a46848dp+1, 0x1.f12b331ecc841p-5, -0x1.86c52ec97b569p+0}, {-0x1.6fcbe1a90209ep+0, -0x1.07fe69279ce17p+0, -0x1.6ea79ff2037a2p+1}, {0x1.09d8a8dcd1ccap-1, -0x1.9a1d526eb5eb8p+1, 0x1.c93bafbdcd8bap-1}, {-0x1.65d343a5510d3p+1, 0x1.b9b981bcb4a7bp-2, 0x1.e6cec3a6c3a8ap-2}}},
     2.6188494775536419e-10},
    {"cone and cone: a small body in the centre of a cone; along the ring of nearly equal directions straight steps left it",
     {.type = TACT_CONE, .radius = 0x1.693ae3750a43p-2, .height = 0x1.213cc63234181p-3, .margin = 0x1.28c86007acf0ep+0, .at = {{-0x1.61fdec7a8a489p+8, 0x1.fc0686b3a916fp+7, -0x1.2c8be1cb61e68p+3}, {0x1.ab6706755e933p+7, 0x1.32204829f60c1p+8, 0x1.c19eba3a3895fp+7}, {0x1.134369439c0b5p+7, 0x1.6401d6f94c9dfp+7, -0x1.753853df480f4p+8}, {-0x1.49eba3435fb49p+10, -0x1.c03b6e9c71bbap+10, 0x1.4e7c8205d1016p+10}}},
     {.type = TACT_CONE, .radius = 0x1.4026c246fb557p-3, .height = 0x1.a79f8de2e87dcp-2, .at = {{-0x1.44e0dd16b4e0fp-19, -0x1.cff1591374c8ap-19, -0x1.e81840200be2fp-18}, {0x1.05c290d9cde7bp-16, -0x1.f3aef38b74804p-22, -0x1.4d9d7e64a66c4p-18}, {0x1.152a27ececd36p-20, -0x1.3b1e4f74d3a0fp-17, 0x1.147723fecd2dap-18}, {-0x1.49eba3435fb49p+10, -0x1.c03b6e9c71bbap+10, 0x1.4e7c8205d1016p+10}}},
     29.728595306588481},
    {"polygon and cone: the same",
     {.type = TACT_POLYGON, .count = 10, .points = {{-0x1.edf40c728f316p-5, -0x1.ff9f7573ef16cp-4, 0x1.8df14c47095c6p-2}, {-0x1.12367b643493ap-3, -0x1.9062e33f6e548p-3, 0x1.fe79f885b040fp-2}, {0x1.0b822c09d19fbp-3, -0x1.f1ce4bbe6cbe3p-4, 0x1.961e67e89c312p-3}, {-0x1.80d7a76ba71a8p-3, -0x1.ab2e6ab0af514p-2, 0x1.5662ecb30e001p-1}, {0x1.0b788d65b1ee1p-3, -0x1.152f2911c5934p-3, 0x1.a510ede992b55p-3}, {-0x1.a99dfebba8055p-3, -0x1.94438c29a0595p-2, 0x1.5a69721b532f6p-1}, {-0x1.9ccc35c9b6074p-4, -0x1.a71086844d48ap-2, 0x1.293f0c88d1e55p-1}, {-0x1.ae1813e3c73e8p-3, -0x1.8e7c0fedab43fp-2, 0x1.59fe64ef21e01p-1}, {0x1.736c5d6e66372p-5, -0x1.365bb39f27562p-2, 0x1.834f4c46a72c9p-2}, {0x1.a29d6123f5d98p-6, -0x1.4c264b4dba702p-2, 0x1.a2cf759988457p-2}}, .at = {{-0x1.41fdab22d867cp-14, -0x1.411ef25cc760ap-14, -0x1.0e5831f7284cep-15}, {0x1.c124a67cb8d2cp-14, -0x1.353a74d77c294p-13, 0x1.8f5666bb29e0ap-14}, {-0x1.632f04dedd923p-14, 0x1.c733b752d977p-16, 0x1.1fdceeda36ebp-13}, {0x0p+0, 0x0p+0, -0x0p+0}}},
     {.type = TACT_CONE, .radius = 0x1.ec9375d343abp-2, .height = 0x1.983e3d54099ep-3, .at = {{0x1.f42c512497097p+9, 0x1.d4fa1a8343398p+10, 0x1.9d4633c5d6589p+10}, {0x1.2f6d5d480fe04p+10, 0x1.2a15d73646a13p+10, -0x1.04f0396dfe19bp+11}, {-0x1.11408bd525531p+11, 0x1.7c1c4beeefed2p+10, -0x1.9289e68378945p+8}, {0x0p+0, 0x0p+0, -0x0p+0}}},
     247.96404470425074},
    {"polygon and cone: the same",
     {.type = TACT_POLYGON, .count = 9, .points = {{0x1.b0e7f2afb4724p-3, 0x1p-2, -0x1.f46e4b4dbba85p-1}, {-0x1.15246a7435b67p-1, 0x1p-2, -0x1.ae81c2e12ab9ep-1}, {-0x1.e541e7dc257ap-1, 0x1p-2, -0x1.469d3dcf6cf49p-2}, {-0x1.aa92627345e49p-2, 0x1p-2, -0x1.d175ca4ff21cfp-1}, {0x1.31346f53c8332p-1, 0x1p-2, 0x1.9b16bcb85c17bp-1}, {-0x1.35cce366d4c0dp-1, 0x1p-2, -0x1.97a3042ad8f75p-1}, {0x1.01f036c032a75p-1, 0x1p-2, -0x1.ba47be22dc925p-1}, {-0x1.f1f1bb2d8eb9p-1, 0x1p-2, -0x1.dc94657e1a20fp-3}, {-0x1.8da614fb9dd82p-1, 0x1p-2, 0x1.42853ebc79517p-1}}, .at = {{-0x1.d3765b9d78821p-21, -0x1.9a971ccc9aa14p-23, -0x1.0e8f4f6bb3028p-18}, {0x1.34ea9d832f28dp-17, -0x1.a53b26673992dp-17, -0x1.75ec39b8c0571p-20}, {-0x1.f61312ff99054p-17, -0x1.7e3f6436b6f2bp-17, 0x1.fa3e108bd2e71p-19}, {-0x1.3fdd48a1a4689p+14, 0x1.2a6279adadd97p+19, 0x1.6bb60dcbccb45p+18}}},
     {.type = TACT_CONE, .radius = 0x1.7f9ae6c1cd40dp-2, .height = 0x1.24b4ed8bf8adcp-3, .at = {{-0x1.94584165fcb0bp+8, 0x1.95e9d077db551p+7, -0x1.ddd82a25e68bbp+5}, {-0x1.53ab0f3791468p+6, -0x1.11b2ff4b639aep+8, -0x1.632673308275ep+8}, {-0x1.838c20eb3f0fdp+7, -0x1.2f906840a7a86p+8, 0x1.18468f0e6a461p+8}, {-0x1.3fdd48a1a4689p+14, 0x1.2a6279adadd97p+19, 0x1.6bb60dcbccb45p+18}}},
     30.469175755596488},
    {"box and cone: on a needle, and touching",
     {.type = TACT_BOX, .margin = 0x1.3a9ce9a2e5b6fp-23, .size = {0x1.b0c02814a8b64p-2, 0x1.7d0a5b7ac8434p-2, 0x1.c55fa1bf2a66p-4}, .at = {{-0x1.6830a7c524273p-24, -0x1.5339fc451e761p-23, -0x1.f00d5c320f087p-25}, {-0x1.97d54b5958666p-24, 0x1.9d5f0dda28cdcp-24, -0x1.0d3ca4dfbff08p-23}, {0x1.5855630f4b793p-22, -0x1.1132046332718p-24, -0x1.393996bce2bf2p-22}, {0x0p+0, 0x0p+0, -0x0p+0}}},
     {.type = TACT_CONE, .radius = 0x1.3379b3a72799cp-1, .height = 0x1.4ccd743553b25p-2, .at = {{-0x1.fb4a8dd856a58p-30, 0x1.b9136d908e13fp-29, -0x1.cfd9917db40a5p-28}, {-0x1.39f4497331574p-28, 0x1.58d6b80d6c638p-28, 0x1.f3962a3bec3fdp-29}, {-0x1.7fabb802cb1bap-10, -0x1.3c5852ce025bbp-10, -0x1.6c0bf1a5ad0b1p-13}, {-0x1.2c45c21521748p-13, -0x1.ef96f6f7c7428p-14, -0x1.1ffbce165deap-16}}},
     2.2616172780887096e-12},
    {"cone and custom: the same",
     {.type = TACT_CONE, .radius = 0x1.240ba389ab31bp-2, .height = 0x1.1b9b27cbb4554p-3, .at = {{0x1.0c3ec06f0c03p+2, 0x1.8bc31f1b6430ep+2, 0x1.52d1fd3a905fcp-4}, {0x1.7f91a0e8e0649p+2, -0x1.0582f0feff5a5p+2, 0x1.c9c8915c45db1p+0}, {-0x1.8680268a57a88p+0, 0x1.dfae4bf20353ap-1, 0x1.d03435d208a83p+2}, {-0x1.33e4200755b65p-1, -0x1.5750dc3003f7bp+1, 0x1.fd758f81c405ap+1}}},
     {.type = TACT_BOX, .custom = true, .margin = 0x1.25b6a66d834c8p-24, .size = {0x1.2f179e8e4331cp-1, 0x1.6429b644f8536p-2, 0x1.6dcc966273adp-1}, .at = {{-0x1.3484b568ceee1p-21, 0x1.ba171c36b1b0fp-21, -0x1.690908c2bc8b3p-21}, {-0x1.9a4bfa3d47967p-23, 0x1.68c6c4191e20dp-21, 0x1.08b6a318c055bp-20}, {0x1.18be7846fe7efp-20, 0x1.34d230ffd704dp-21, -0x1.96a3250026d64p-23}, {-0x1.33e4200755b65p-1, -0x1.5750dc3003f7bp+1, 0x1.fd758f81c405ap+1}}},
     0.46532639586164654},
    {"cone and custom: the same",
     {.type = TACT_CONE, .radius = 0x1.33f8524b93e11p-3, .height = 0x1.1b7ce82b1061ep-3, .at = {{-0x1.510fce092b1cep+15, -0x1.5456aead48c91p+12, -0x1.395d33160becdp+16}, {-0x1.e3c1f38e8b3e9p+15, -0x1.b423960bcc1dfp+15, 0x1.21c69161c66e2p+15}, {-0x1.90b854875a0b1p+15, 0x1.19266d108f062p+16, 0x1.62af9b7d9213cp+14}, {0x1.b012ffad0aaa5p+21, -0x1.7463773f101afp+22, -0x1.033d7ada59c55p+23}}},
     {.type = TACT_BOX, .custom = true, .size = {0x1.fd1fdc1a4703dp-3, 0x1.c3e6f618d185dp-1, 0x1.70d0731f32ab4p-2}, .at = {{0x1.8e46be4cb8b25p-10, 0x1.86842f1161736p-13, -0x1.6691a7fcced57p-10}, {-0x1.0231e523fe7dp-10, -0x1.c0f446f14a4c1p-10, -0x1.5be8057cbb48cp-10}, {0x1.00ae5c391093dp-10, -0x1.4d62160481998p-10, 0x1.df70822b410cap-11}, {0x1.b012ffad0aaa5p+21, -0x1.7463773f101afp+22, -0x1.033d7ada59c55p+23}}},
     4646.5802680264587},
    {"cone and ellipsoid: the same",
     {.type = TACT_CONE, .radius = 0x1.5b882f0bc7395p-1, .height = 0x1.35a44868c592bp-2, .at = {{-0x1.4347827b65d1bp+12, 0x1.39afb4edf196ep+13, 0x1.94f79902b607dp+9}, {0x1.3aad3b37fe82ap+13, 0x1.416d94f8538fbp+12, 0x1.1cbe75676b996p+9}, {0x1.1205376845a4cp+7, 0x1.ea4a52a37c316p+9, -0x1.606f21422731fp+13}, {-0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_ELLIPSOID, .size = {0x1.391cfa8c70a5ep-2, 0x1.e6d878ec5851ep-2, 0x1.41ac91b1560a3p-2}, .at = {{0x1.c0d0ec2834f5cp-11, -0x1.a2470ea3d0fcbp-11, -0x1.c1e9f26d47p-13}, {0x1.36e3d791b28e4p-14, 0x1.9069c2cf6c565p-12, -0x1.26b984e442086p-10}, {0x1.ed8abf2e68028p-18, 0x1.dd3cc349cd48bp-18, 0x1.854395a232d9fp-19}, {-0x0p+0, 0x0p+0, 0x0p+0}}},
     1563.5550756778125},
    {"cone and convex hull: the same",
     {.type = TACT_CONE, .radius = 0x1.ce4f89944ec29p-1, .height = 0x1.571078ccef0d6p-2, .at = {{-0x1.31bf1cd29b5fep+16, 0x1.298d164d1cc53p+14, 0x1.b63537613d3cfp+15}, {0x1.58f6b59888a95p+14, 0x1.758d75a240d3cp+16, -0x1.9ebef9088bff5p+10}, {-0x1.ad6e2363855cep+15, 0x1.60e74c0c0fa74p+13, -0x1.3a9953b56489dp+16}, {-0x0p+0, -0x0p+0, -0x0p+0}}},
     {.type = TACT_CONVEX_HULL_OF, .parts = {&(const shape_recipe){.type = TACT_POINT, .count = 1, .points = {{0x1.ad715ca41a0cp-5, -0x1.5ac53a4002b8p-7, 0x1.0c3311a0010b6p-2}}}, &(const shape_recipe){.type = TACT_CYLINDER, .radius = 0x1.1e64e1ba1bb9bp-3, .height = 0x1.469b0ce0741a7p-2}}, .at = {{-0x1.c2dc076235666p-7, 0x1.b6c63de0dbf72p-9, 0x1.43183f47a8305p-7}, {0x1.abde01f77229cp-7, 0x1.cf53a38230dcp-5, -0x1.0135c0bac36c1p-10}, {0x1.5145549fe5befp-6, -0x1.152ada0930035p-8, 0x1.ee2aa75209d6dp-6}, {-0x0p+0, -0x0p+0, -0x0p+0}}},
     15415.88263100561},
    {"cone and transformed: the same",
     {.type = TACT_CONE, .radius = 0x1.f1691cace063p-3, .height = 0x1.bc040fafffc6fp-4, .at = {{-0x1.d63a13e2a199cp+5, 0x1.c694648d7ada6p+7, 0x1.2ec37407c56dcp+8}, {-0x1.73b8cf3ecca02p+8, 0x1.76ce0d697157bp+4, -0x1.6701bd525f15dp+6}, {-0x1.1f083ce101001p+6, -0x1.33868198a50d4p+8, 0x1.b1de032ea3986p+7}, {0x1.d1c054e2a666bp+20, 0x1.11a2ec33e855p+20, 0x1.dbb4f87a7bd91p+20}}},
     {.type = TACT_TRANSFORMED, .parts = {&(const shape_recipe){.type = TACT_CONE, .radius = 0x1.833f90c655305p-2, .height = 0x1.cd03c3151ca38p-4, .margin = 0x1.2babc9718e492p-8, .at = {{0x1p+0, 0x0p+0, 0x0p+0}, {0x0p+0, -0x1.8p-1, 0x0p+0}, {0x0p+0, 0x0p+0, 0x1p+0}, {-0x1.150c2e198d13p-2, 0x1.7f7e9b473da56p-2, -0x1.251e5f2f6aa2ap-2}}}}, .margin = 0x1.b2570deb9b5c7p-16, .at = {{-0x1.9f3f372d66c84p-18, 0x1.17a4f1701024ap-17, 0x1.377af560071a4p-15}, {0x1.1b3dbde459c48p-16, 0x1.02bbfb693278bp-16, -0x1.5bea159018bp-21}, {-0x1.4b0f93c8a73d7p-16, 0x1.64bc4c0e66bd2p-16, -0x1.0e7983b6cda2bp-17}, {0x1.d1c054e2a666bp+20, 0x1.11a2ec33e855p+20, 0x1.dbb4f87a7bd91p+20}}},
     18.962586592292723},
    {"cone and Minkowski sum: the same",
     {.type = TACT_CONE, .radius = 0x1.4034d0072562ep-1, .height = 0x1.254e1d79c3c15p-2, .at = {{-0x1.d652cb85b69ap+5, -0x1.39bada5d0b743p+4, 0x1.5f2ef50619ef5p+3}, {0x1.3bf8acd7cdf8ap+4, -0x1.e6bf271d02666p+4, 0x1.9b7eeb715e068p+5}, {-0x1.570d074f4e9cbp+3, 0x1.9beca02f0f9a7p+5, 0x1.148dbfa94ebdbp+5}, {-0x1.4110120681cc8p+10, 0x1.f4eab9738e139p+9, 0x1.8b9bef4627ab3p+8}}},
     {.type = TACT_MINKOWSKI_SUM, .parts = {&(const shape_recipe){.type = TACT_ELLIPSOID, .margin = 0x1.43cd766be86cdp-6, .size = {0x1.050c6155d2437p-1, 0x1.ce526fd3d9c11p-1, 0x1.2a384657ed083p-1}}, &(const shape_recipe){.type = TACT_POINT, .count = 1, .points = {{0x1.bde486f5593p-6, 0x1.5b832114dd41cp-2, -0x1.50ed712f26548p-2}}}}, .at = {{-0x1.f9c8ca21f985cp-20, -0x1.5162578b6c328p-21, 0x1.79a95bf52a602p-22}, {-0x1.f7d17b42a5a46p-23, 0x1.840f6ddce899bp-22, -0x1.4810f60ac13cap-21}, {-0x1.faf03646e14fep-24, 0x1.305b8543eefbbp-21, 0x1.98ac508ed90f2p-22}, {-0x1.4110120681cc8p+10, 0x1.f4eab9738e139p+9, 0x1.8b9bef4627ab3p+8}}},
     8.1951243672562732},
    {"capsule and cone on one axis: the polytope took all its points from one side of the kink and used up its facets",
     {.type = TACT_CAPSULE, .radius = 0x1.6144377e903ep-2, .height = 0x1.35750695a6ccfp-1, .at = {{0x1.94a6b7d8769cep-9, 0x1.13df6c60e2d47p-3, -0x1.0562dd2c0fae6p-7}, {0x1.912e25665d104p+10, 0x1.79eaf19f09689p+5, 0x1.62b2a83e92787p+10}, {0x1.6e17af84bf98ap-4, -0x1.06c47a9a24256p-7, -0x1.9cf979b567542p-4}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_CONE, .radius = 0x1.cd63553673f69p-4, .height = 0x1.df38a62f6d9d8p-4, .at = {{0x1.32c855c2c65dbp+4, 0x1.a24cfa1d47c0bp+9, -0x1.8c55c1f876b93p+5}, {-0x1.39ef657d05fbfp+9, -0x1.27bb4753b9613p+4, -0x1.158fb3dda971fp+9}, {0x1.158cb434a59c3p+9, -0x1.8e6deffd02586p+5, -0x1.3917bfac542cp+9}, {0x1.0cd28e860d84dp+10, 0x1.fa78336d9c06cp+4, 0x1.db59eabfcfc3ep+9}}},
     0.00063259452272986763},
    {"cylinder and Minkowski sum: a flat cap on a curved shape: the points must be searched with the normal fixed",
     {.type = TACT_CYLINDER, .radius = 0x1.8f2d6231c1aadp-3, .height = 0x1.82cdd877fd616p-1, .margin = 0x1.5c2d7182bc0fbp+10, .at = {{-0x1.761deb262313bp+11, 0x1.726020442fdabp+11, -0x1.ca6298fdf0e27p+9}, {0x1.4fdef284a0cf4p+11, 0x1.cc28696ad9bddp+10, -0x1.60e2b0670f265p+11}, {-0x1.834dc6abb7e8dp+10, -0x1.3c7ad060f7309p+11, -0x1.86a84fe599565p+11}, {-0x1.df8e32046e914p+14, -0x1.44c122a49d27p+17, -0x1.645371f2548a5p+17}}},
     {.type = TACT_MINKOWSKI_SUM, .parts = {&(const shape_recipe){.type = TACT_ELLIPSOID, .size = {0x1.b475b50cc9907p-3, 0x1.9e24259cea78p-1, 0x1.63b78f2849433p-1}}, &(const shape_recipe){.type = TACT_SPHERE, .radius = 0x1.2e2e8de863df8p-2}}, .at = {{-0x1.bdf3890056654p+11, 0x1.b97dd6143a4fep+11, -0x1.1133331d1a4c5p+10}, {0x1.1fa83f61a408cp+14, 0x1.8a1a5f130164p+13, -0x1.2e3abaf5a6b37p+14}, {-0x1.c5dd4be2e2f5cp+12, -0x1.72de69bebd32ap+13, -0x1.c9cb609a5e991p+13}, {-0x1.189bad1428111p+13, -0x1.25b7e5a776114p+17, -0x1.91f44390889e8p+17}}},
     2.0932702682330273e-08},
    {"cone and Minkowski sum: a point in a stretched tree: the points lay beside the normal by as much as its bounding radius allowed",
     {.type = TACT_CONE, .radius = 0x1.7c3a7db803b3cp-1, .height = 0x1.a3e8214f5c86cp-3, .at = {{0x1.b43cc226eff87p-19, 0x0p+0, 0x0p+0}, {0x0p+0, 0x1.b43cc226eff87p-19, 0x0p+0}, {0x0p+0, 0x0p+0, 0x1.b43cc226eff87p-19}, {0x1.721a3b9b68be9p-15, -0x1.63cbb1b2e863dp-14, 0x1.659a0cbecc1cdp-15}}},
     {.type = TACT_MINKOWSKI_SUM, .parts = {&(const shape_recipe){.type = TACT_TRANSFORMED, .parts = {&(const shape_recipe){.type = TACT_POINT, .count = 1, .points = {{-0x1.98d49f1f2bfeap-2, 0x1.d841a4f718f1ap-2, -0x1.4f3114e3c258p-8}}, .at = {{-0x1.443f5b171189bp+0, 0x1.de7f6a5149d03p-3, -0x1.03123ff0c6ccfp-5}, {0x1.33bc61e26b67dp-1, -0x1.fb9bb45cc4574p-1, -0x1.d25c7e9c0db1fp-2}, {0x1.b531bf57957a7p+0, -0x1.d2ef07d0e7326p-1, 0x1.06e72f43020a1p-2}, {-0x1.f9ab2bd6be576p-2, 0x1.f211c5ba76598p-3, 0x1.9c93c69f1edf6p-2}}}}}, &(const shape_recipe){.type = TACT_POINT, .count = 1, .points = {{0x1.a22df8325d87p-5, 0x1.6fc5c435a1a0ap-2, -0x1.b34a8650b6968p-3}}}}, .at = {{-0x1.63cd548307cc4p+10, -0x0p+0, -0x0p+0}, {0x0p+0, 0x1.63cd548307cc4p+10, 0x0p+0}, {0x0p+0, 0x0p+0, 0x1.477656807b0c6p+19}, {0x1.d79df93e22e2dp+8, -0x1.41a87d14feb92p+6, 0x1.5e8b9252ea891p+12}}},
     -1.00005266391992e-06},
    {"box and box: a direction that separates by no more than rounding, and the common point was one",
     {.type = TACT_BOX, .margin = 0x1.1329f0f102628p-12, .size = {0x1.e433002099ed9p-4, 0x1.7b84a5d1bd15p-1, 0x1.325a624041616p-1}, .at = {{-0x1.823a3a72d09ebp-11, -0x1.2822eeb64782p-11, 0x1.5fa8d4ca0f39ap-12}, {-0x1.e41e4bb8f5f1p-14, -0x1.465ded9a7c924p-11, -0x1.81bd511ff6f1p-14}, {0x1.23e8693f4d2b3p-14, 0x1.14bbaa8a07ce7p-12, 0x1.08e51651be168p-10}, {-0x0p+0, 0x0p+0, -0x0p+0}}},
     {.type = TACT_BOX, .margin = 0x1.53c1c2586d62fp+14, .size = {0x1.9d2a2a2bee2b8p-3, 0x1.a19c5ff820b97p-3, 0x1.182a0bd218f14p-1}, .at = {{0x1.2350ae98e5b1dp+13, -0x1.635d8088be1ddp+15, -0x1.4dc6d8f754596p+16}, {-0x1.299f016ef7c02p+16, 0x1.82bbd08b5744ap+15, -0x1.0ed03eaf17f42p+15}, {0x1.d27991a0ae7c6p+15, 0x1.127c3e9d6094ep+16, -0x1.e2b1dc6e465ccp+14}, {-0x1.7a7e0931a3278p+14, -0x1.f44f35ab910b2p+13, -0x1.a4ff2461c6ffp+14}}},
     -1.2011150829493999e-07},
    {"capsule and custom: points off by a few times what is allowed",
     {.type = TACT_CAPSULE, .radius = 0x1.4278a452308b2p-3, .height = 0x1.39d298c5660a5p-1, .at = {{0x1.1f70d651c5528p-8, 0x1.4c3f5779f1e9ep-10, -0x1.596c12e5c2bacp-9}, {0x1.32fb3c63b21b3p-9, -0x1.1e34005c6f948p-8, 0x1.d73c6ae81eb3fp-10}, {-0x1.cb0665c419ac8p-10, -0x1.5d8239ee5cd36p-9, -0x1.130826076a2c2p-8}, {-0x0p+0, 0x0p+0, -0x0p+0}}},
     {.type = TACT_ELLIPSOID, .custom = true, .size = {0x1.67ea678afc5e5p-2, 0x0p+0, 0x1.6dc757093a9d6p-1}, .at = {{-0x1.dbf6193039005p+0, -0x1.abc24337d4c65p-7, 0x1.40c88197e0c91p-2}, {-0x1.12addce307e39p-4, -0x1.cc24891d50ba5p+0, -0x1.e440e898fa568p-2}, {0x1.5d5d4dc77f474p-2, -0x1.1440f0e00d01ap-1, 0x1.004e6e335abc7p+1}, {-0x1.59df4f48a2407p-1, 0x1.c28c107a3386ep-3, -0x1.772089952716p-1}}},
     3.2994516052696835e-09},
    {"segment and triangle: a normal of features that the points did not fit",
     {.type = TACT_SEGMENT, .margin = 0x1.14d1cb3796e1cp-27, .count = 2, .points = {{0x1.7e3455614ae02p-2, -0x1.d521101800ca8p-2, 0x1.e7f4f0a3f453p-5}, {0x1.18ce826034b68p-2, 0x1.b1b5fab16f83p-2, -0x1.4149a7ea25704p-3}}, .at = {{0x1.cb56de7935519p-21, 0x1.4f9249ff4972ap-22, 0x1.9b52b6492a764p-21}, {0x1.89ef0516f4992p-21, -0x1.ab50cbf539c2dp-21, -0x1.099c4fed34477p-21}, {0x1.9aa236c4bd492p-22, 0x1.bc801f8067db8p-21, -0x1.9a9aa2baecf97p-21}, {-0x1.c57a79bc4e3e6p+12, 0x1.8ec4a445f1887p+10, 0x1.9d2663b5baa6fp+9}}},
     {.type = TACT_TRIANGLE, .count = 3, .points = {{-0x1.b942b41bc09bp-4, -0x1.e1878c6a85a4cp-3, -0x1.db2382bf13bap-5}, {-0x1.4344e827930fcp-2, 0x1.8bc6d1d4122dcp-3, 0x1.3cfa6c7f8bbp-3}, {0x1.e3612659a022p-5, -0x1.00b13a317d49p-3, -0x1.aa73e0aac23dp-5}}, .at = {{-0x1.428ff9b07891p+12, 0x1.6778acfdfd8c3p+10, -0x1.a2275740401c1p+14}, {0x1.1f8aec8d2f2acp+12, 0x1.e598c954277d2p+13, -0x1.a2b50954520cdp+5}, {0x1.061f7f106ec42p+15, -0x1.372a789d18851p+13, -0x1.b5d6c6f770029p+12}, {-0x1.29e01379081a8p+13, 0x1.64327938bf453p+11, -0x1.10cecf0d1305ep+12}}},
     5.7295440572259422e-14},
    {"segment and cone: along the ring of a cone",
     {.type = TACT_SEGMENT, .count = 2, .points = {{0x1.24e70da59a71p-2, 0x1.47291bab796bp-4, -0x1.cb537b5fd14fp-4}, {0x1.ffdb126e0f51cp-2, 0x1.3c14f6008f6ccp-2, 0x1.1411fea893654p-2}}, .at = {{-0x1.114142cf932a6p-11, 0x1.e35092e021894p-13, 0x1.343fa44736f6dp-17}, {-0x1.8b937d12db47ep-12, -0x1.c775def99938fp-11, 0x1.997c9ac92deb7p-12}, {0x1.992feac1577eep-13, 0x1.a1c45021fd6e7p-12, 0x1.19bef4f6bb1dcp-10}, {0x1.4cc0f8ba4f9d3p+24, 0x1.1432f1f65623p+26, 0x1.c8e583ea580bfp+24}}},
     {.type = TACT_CONE, .radius = 0x1.143b900afa57ap-1, .height = 0x1.f3d8260a0f9b5p-3, .at = {{-0x1.9bf82df2c82f6p+10, 0x1.3791f69cab82ap+13, -0x1.a9378d60c0747p+12}, {-0x1.62e8a79a0432ep+13, -0x1.c2c5ad0b554bap+11, -0x1.3cbd2438e1929p+11}, {-0x1.fef811415f256p+11, 0x1.76fd9f8f54155p+12, 0x1.31b557e625a7ap+13}, {0x1.4cc0f8ba4f9d3p+24, 0x1.1432f1f65623p+26, 0x1.c8e583ea580bfp+24}}},
     1354.4868129065464},
    {"cone and segment: the same",
     {.type = TACT_CONE, .radius = 0x1.1052cdfef62b2p-1, .height = 0x1.0784b8fc5ff21p-2, .at = {{0x1.134bb8994a01p+8, 0x1.c3acf8a0fed85p+6, -0x1.ee62447b484e7p+5}, {0x1.d4bcce13435d8p+6, -0x1.3ef196aa459ebp+7, 0x1.cd46c590e0b65p+7}, {0x1.aa2520de556c2p+5, -0x1.d18337d36fa89p+7, -0x1.7800a05f98e65p+7}, {-0x1.39395204374e2p+12, -0x1.768b3f2e80a85p+9, -0x1.2eef4dde26052p+11}}},
     {.type = TACT_SEGMENT, .count = 2, .points = {{-0x1.137542c68f5e8p-3, -0x1.8a19e926d9a4cp-2, -0x1.bbe18587b5468p-2}, {0x1.1b0815d2dcab4p-3, 0x1.2b8fdbaad2b5cp-2, 0x1.773e02803474cp-3}}, .at = {{-0x1.8d7cad143d81fp-16, -0x1.6d2b709020b33p-17, 0x1.44fb4de176a24p-19}, {0x1.a85e1cf1a38d9p-20, -0x1.2aeabf49964cap-17, -0x1.9c3d82fcf2101p-16}, {0x1.72518ddcd10c1p-17, -0x1.728d24483f9d7p-16, 0x1.248392f84ea4fp-17}, {-0x1.39395204374e2p+12, -0x1.768b3f2e80a85p+9, -0x1.2eef4dde26052p+11}}},
     35.200007454642801},
    {"cone and tetrahedron: the same",
     {.type = TACT_CONE, .radius = 0x1.f54df6c70b082p-1, .height = 0x1.94a10a49b35cp-2, .at = {{-0x1.b7e837bb3f272p+11, -0x1.464a9c6957cd3p+9, -0x1.49069fda99033p+11}, {0x1.4b9dd077fa345p+11, -0x1.aeb41b131ea16p+10, -0x1.85faee2d8e3f7p+11}, {-0x1.193781be7c719p+9, -0x1.f95efd41421d1p+11, 0x1.b6942a706c1c5p+10}, {-0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_TETRAHEDRON, .margin = 0x1.907d09975c42ep-18, .count = 4, .points = {{-0x1.2bdc042068302p-2, 0x1.b4dd133edc398p-4, -0x1.9bd0e4efa198ap-2}, {0x1.319507fbee4b4p-3, -0x1.eff7d2523db1p-4, -0x1.4b3ed9137f9ep-2}, {0x1.813d879d6598p-6, -0x1.966094c24f41cp-2, 0x1.f73874423e2ccp-2}, {0x1.d4be947133378p-2, 0x1.4b77aa5469d4p-2, 0x1.0828f8e71902p-5}}, .at = {{0x1.43cb97c5181f9p-11, -0x1.193c7595cef1bp-13, 0x1.0f5766799a189p-13}, {-0x1.7b98ff231a57p-17, -0x1.f117bf0222431p-12, -0x1.ca98f1351bb15p-12}, {0x1.8612bae74f48bp-13, 0x1.b4aafcfbc1e0cp-12, -0x1.de5e0f2df82c4p-12}, {-0x0p+0, 0x0p+0, 0x0p+0}}},
     814.00956806324496},
    {"cone and tetrahedron: the same",
     {.type = TACT_CONE, .radius = 0x1.05dccaae44839p-1, .height = 0x1.bb5008dc6d027p-3, .margin = 0x1.f8418a6f55612p-2, .at = {{-0x1.80bc12f0b38e4p+7, -0x1.a91de3f041644p+5, -0x1.7348934cc02c5p+6}, {0x1.7f9a703103325p+6, -0x1.1f9374a660d7dp+0, -0x1.8c36ecdfa0a3ap+7}, {0x1.7ad883fdc623p+5, -0x1.ab2cd3e279018p+7, 0x1.822a50726016ep+4}, {0x0p+0, 0x0p+0, -0x0p+0}}},
     {.type = TACT_TETRAHEDRON, .count = 4, .points = {{-0x1.c0a8976f81d26p-2, 0x1.ae532143183c4p-2, -0x1.2ab932ac5acecp-3}, {0x1.81111ba49fb6p-6, 0x1.dae88ed889cep-6, 0x1.ea1f1686a2c3cp-2}, {-0x1.3910033bd8e0cp-2, -0x1.a6009c6be33p-7, 0x1.ab1989515f624p-2}, {0x1.76bf71dc8ffc8p-4, -0x1.f976094d561dp-4, -0x1.3712ec8bddd96p-2}}, .at = {{-0x1.12ba700f6dc8fp-19, -0x1.28a802267c94ap-18, 0x1.f734ec515b124p-18}, {0x1.5ffdbbde20842p-19, -0x1.b88e80fe74a6fp-21, 0x1.f27b868b1270ep-23}, {0x1.e80c48e6dda96p-22, 0x1.df48501061727p-20, 0x1.3bdbd46f580d6p-20}, {0x0p+0, 0x0p+0, -0x0p+0}}},
     22.430267609294233},
    {"cone and custom: the same",
     {.type = TACT_CONE, .radius = 0x1.4c778de5f7bd1p-1, .height = 0x1.b30ac5a32e067p-2, .at = {{0x1.dac2117c000cp-15, 0x0p+0, 0x0p+0}, {0x0p+0, 0x1.0b57b69375421p-21, 0x0p+0}, {0x0p+0, 0x0p+0, 0x1.dac2117c000cp-15}, {-0x0p+0, 0x0p+0, -0x0p+0}}},
     {.type = TACT_SPHERE, .custom = true, .radius = 0x0p+0, .at = {{0x1.708ba5806971fp+13, 0x0p+0, 0x0p+0}, {0x0p+0, 0x1.1d40af3864f1ep+12, 0x0p+0}, {0x0p+0, 0x0p+0, 0x1.0adcf8e54963ep+11}, {-0x0p+0, 0x0p+0, -0x0p+0}}},
     1.0577729529246469e-07},
    {"cone and custom: the same",
     {.type = TACT_CONE, .radius = 0x1.491622a8542a9p-2, .height = 0x1.e6876e6e5c1bep-4, .at = {{0x1.a562b5714681fp+16, 0x1.7bf4a2437e5f5p+14, 0x1.2c18d0aa887bp+17}, {0x1.2fbf855d82b89p+17, -0x1.4c0e15405bf0ep+14, -0x1.9d5fd87e858f9p+16}, {0x1.c8e7270ea11adp+11, 0x1.6c51201ef65a8p+17, -0x1.f55cf0f9b0d72p+14}, {0x1.fe0a8d30c97fp+19, 0x1.1ca51311bc2b7p+19, 0x1.9e512cead21f4p+18}}},
     {.type = TACT_HULL, .custom = true, .count = 7, .points = {{0x1.6214c5a3f3c8cp-2, 0x1.16cf0df8796fp-3, -0x1.044a6c498cc56p-2}, {0x1.b5ba4afc142ep-3, 0x1.8a23a5a7ad4fp-4, 0x1.d4d5b6af9d54p-3}, {-0x1.bad204c5f4062p-2, 0x1.f323efd714d62p-2, -0x1.c6027a6cb055p-4}, {-0x1.563be9f141d4p-7, -0x1.89927c5d4348ep-2, 0x1.a1e8682549334p-2}, {-0x1.bad204c5f4062p-2, 0x1.f323efd714d62p-2, -0x1.c6027a6cb055p-4}, {0x1.229db33d52142p-2, 0x1.f7573de51cep-8, 0x1.970a0cbe349bp-5}, {-0x1.5995e59dea8eap-2, 0x1.745c44917e95p-3, 0x1.146849b9d5fbap-2}}, .at = {{0x1.028dc40bfd8dap-5, 0x1.bc4de59aa94a5p-6, 0x1.d4689edbf18fbp-6}, {-0x1.223e60c5b36aap-6, 0x1.bdb92ac1ff206p-5, -0x1.a0163e11e1036p-6}, {0x1.b5031e9675c19p-8, 0x1.02b37c4fa182dp-6, 0x1.3b84e4da0df3ep-5}, {0x1.fe0a8d30c97fp+19, 0x1.1ca51311bc2b7p+19, 0x1.9e512cead21f4p+18}}},
     10545.723805115769},
    {"triangle and polygon: a normal of features that the points did not fit",
     {.type = TACT_TRIANGLE, .count = 3, .points = {{-0x1.8bfa28d7256ap-3, -0x1.c0f743bc98ac4p-3, -0x1.0f083a0ff9cc2p-2}, {0x1.6ca730030701p-2, -0x1.645a77a4d54ep-2, -0x1.9fe8ecdf06b3ap-2}, {-0x1.0339fe221c7p-9, 0x1.1ae058eb48dp-4, 0x1.a5579086bdcap-4}}, .at = {{-0x1.1923badc8bb0cp+18, 0x1.124f2a09b5abp+16, 0x1.a65244b4db26dp+12}, {0x1.445a4dec49973p+15, 0x1.7635cbe74a483p+17, -0x1.b234bdefd7c9ep+17}, {-0x1.bd9b06646bc06p+15, -0x1.a3e12570f1bd5p+17, -0x1.7eaadba81d88dp+17}, {0x1.7030d4025c40cp+14, 0x1.a3b7728f29292p+14, 0x1.79cfa82692f6p+10}}},
     {.type = TACT_POLYGON, .margin = 0x1.11b59583915ap-23, .count = 10, .points = {{-0x1.f0dddc9d46787p-1, 0x1p-2, 0x1.ee3f599ac7ae6p-3}, {-0x1.52d6befa6035cp-1, 0x1p-2, -0x1.7fd6bc4d6a974p-1}, {-0x1.838fcf4c6f74p-1, 0x1p-2, 0x1.4e92fdb934866p-1}, {-0x1.ff7c8f0c6f95fp-1, 0x1p-2, -0x1.6ec7f1117162bp-5}, {-0x1.d61ff560176b8p-1, 0x1p-2, 0x1.959814c74c6ccp-2}, {0x1.bf772e78fae24p-1, 0x1p-2, 0x1.f1ab3bd7d9bf8p-2}, {-0x1.a23d68dfd5012p-1, 0x1p-2, -0x1.27544dadeba2fp-1}, {-0x1.6716b3dce5d8bp-1, 0x1p-2, 0x1.6cf6fe5208bp-1}, {-0x1.488a510712097p-2, 0x1p-2, -0x1.e4eeaa065a8cbp-1}, {0x1.46385634ac79dp-2, 0x1p-2, 0x1.e552df962bbap-1}}, .at = {{0x1.ae0237c58819p-17, 0x1.18491949a31dp-17, -0x1.38491b077ac68p-18}, {-0x1.c69baf9023192p-20, -0x1.9f8e6eae7d92cp-18, -0x1.08bc2540c5121p-16}, {-0x1.70de7dbbf6e65p-17, 0x1.e27ccb84c9e4ep-17, -0x1.2b80dde3367ddp-18}, {0x1.5d92cdd471aebp+15, 0x1.524c48f8d8828p+14, 0x1.e94974963c5d1p+13}}},
     -1.6225077280997002e-12},
    {"cone and custom: the ring of a cone again: the models predicted no descent",
     {.type = TACT_CONE, .radius = 0x1.9eb8cd50e6b58p-2, .height = 0x1.d74cf789aeaeap-4, .at = {{-0x1.d7e716df9bd44p+7, 0x1.5e361f9e130fbp+2, 0x1.cd16de9cbff8fp+8}, {0x1.5ee6bc6699e5fp+7, -0x1.ddecae751630fp+8, 0x1.7dd165c44818fp+6}, {-0x1.aa706eea13a9cp+8, -0x1.8f5279c60859bp+7, -0x1.afb36fa774289p+7}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_ELLIPSOID, .custom = true, .size = {0x1.b9e9cd32c2efcp-4, 0x1.f006dda0792acp-2, 0x1.aa5984c2dc219p-3}, .at = {{-0x1.e0b232f0f066fp-11, 0x1.aabb6b78adde8p-12, 0x1.97d54cdb67dep-12}, {0x1.10226c8fd2ed1p-13, -0x1.2b1fcb9106636p-11, 0x1.d95cc3a96276p-11}, {-0x1.1f30cfb6cf81p-11, -0x1.abfd6f6ee2fc8p-11, -0x1.ca5a617331d12p-12}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     28.666319145001786},
    {"cone and custom: touching; the normal was turned to lie along the points",
     {.type = TACT_CONE, .radius = 0x1.f98ba5054ce41p-4, .height = 0x1.b9a5fb68d8354p-3, .at = {{-0x1.07d7789ee6146p+3, 0x1.52d71721aa162p+5, 0x1.7fff99fcab86bp+4}, {-0x1.d50d449aa2c36p+2, -0x1.7b449ee272fa9p+5, 0x1.449845c0e2b54p+6}, {0x1.5ca94b3282ae1p+5, 0x1.2cb1672142c02p+2, 0x1.ab95a5baf4a92p+2}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_ELLIPSOID, .custom = true, .margin = 0x1.3fb9d37bcae6ep-2, .size = {0x1.98739ba8acc87p-1, 0x1.6e46ae6f9d01bp-1, 0x1.dcdf0247ec4bep-4}, .at = {{0x1.e530c4f997284p-18, -0x1.cc5a2669890fdp-14, 0x1.14b4b5c933a4fp-17}, {-0x1.c746e2699776ap-14, -0x1.8150572fcea24p-18, 0x1.3a875a14c8751p-16}, {-0x1.06d32dd978842p+3, -0x1.0d7f5f15c3622p+2, -0x1.86c0daee8f6adp+5}, {0x1.01a121df797bap+1, -0x1.1420faf49239ap+1, -0x1.f0ac55fb7fc41p+1}}},
     -5.5511151231257827e-17},
    {"cone and custom: a small body in the centre of a cone: a long unsuccessful descent step from its rim to beyond its apex hid the kink",
     {.type = TACT_CONE, .radius = 0x1.17522447cceaep-1, .height = 0x1.1673591b81315p-3, .at = {{0x1.13492258cfba6p+12, -0x1.588afb095e18bp+10, -0x1.f9044de2c4962p+9}, {0x1.9810f8634ad5cp+10, 0x1.4101fd2aab96fp+11, 0x1.c3bdf7741eee3p+11}, {-0x1.f9354812ee6d4p+8, -0x1.d0c85f17a1addp+11, 0x1.66cc116d9fcdcp+11}, {-0x1.076aca2880b23p+24, 0x1.4b8aa052ba0dp+22, 0x1.c51866b2bff19p+23}}},
     {.type = TACT_CYLINDER, .custom = true, .radius = 0x1.43da4f9436427p-1, .height = 0x1.b0086aed093f1p-2, .at = {{-0x1.4a4519946f1a2p-11, 0x1.5b523c91c9ddfp-12, -0x1.a429a0e73ee6p-11}, {0x1.7d9578b9e44a1p-10, 0x1.b5cba6548d92ap-12, -0x1.fd6a6b9a243p-11}, {0x1.037fdb4a77cb3p-17, -0x1.1a9bac7414fafp-10, -0x1.d99a1ec66ab59p-12}, {-0x1.076aca2880b23p+24, 0x1.4b8aa052ba0dp+22, 0x1.c51866b2bff19p+23}}},
     311.63700784743281},
    {"cone and convex hull: the same",
     {.type = TACT_CONE, .radius = 0x1.d977cff535ebep-1, .height = 0x1.c7b86a657bcf9p-3, .at = {{0x1.a04762836ca4ep+5, -0x1.09df8d960dd87p+4, -0x1.86a493b68499p+4}, {-0x1.aa1a6d039ceabp+2, 0x1.4cb6d3866c363p+5, -0x1.53f69a10883b7p+5}, {0x1.cc5f5230db9ddp+4, 0x1.3d6537a543abdp+5, 0x1.12904a29ba4a7p+5}, {-0x1.284a5f67aa185p+18, 0x1.46ef1fcbda1a3p+16, 0x1.22fdb2e58c36ep+17}}},
     {.type = TACT_CONVEX_HULL_OF, .parts = {&(const shape_recipe){.type = TACT_ELLIPSOID, .size = {0x1.aa098aaeb8758p-3, 0x1.945e9e61680d3p-2, 0x1.4a1a54895bdabp-3}}, &(const shape_recipe){.type = TACT_ELLIPSOID, .size = {0x1.d1d72bbf55cbep-3, 0x1.9ce122263182p-2, 0x1.5b4672d4fba17p-3}}}, .at = {{0x1.07e9c4d7a1cdbp-18, 0x1.80ee9d7d9e61ap-16, 0x1.86a5d2d3cb4f6p-17}, {-0x1.3c7b84eda092fp-14, 0x1.9e21f49fa90d7p-15, -0x1.2d2b441196ec3p-14}, {-0x1.29b02e9d1e07fp-13, -0x1.3f686b7d5de59p-15, 0x1.01ec528a9d49ap-13}, {-0x1.284a5f67aa185p+18, 0x1.46ef1fcbda1a3p+16, 0x1.22fdb2e58c36ep+17}}},
     6.4721842600839503},
    {"cone and convex hull: the same",
     {.type = TACT_CONE, .radius = 0x1.75bf793d5067p-1, .height = 0x1.6b1c3cef2618fp-3, .at = {{-0x1.c9b042054a6bep+13, 0x1.cb7550373fb9p+14, -0x1.1039ce2cc3715p+15}, {0x1.5e3293daf106dp+15, 0x1.441dec101b3d5p+11, -0x1.04335a0d5d0d5p+14}, {0x1.0495ab811ec46p+13, 0x1.26998279a95eap+15, 0x1.ba74b683bd489p+14}, {0x1.0e1b3fa4a45f3p+24, -0x1.45e3315637e43p+23, -0x1.4dfe9db9cc444p+23}}},
     {.type = TACT_CONVEX_HULL_OF, .parts = {&(const shape_recipe){.type = TACT_SEGMENT, .margin = 0x1.0c6afcbc0a9b7p-1, .count = 2, .points = {{-0x1.d4f9fe73fe8fcp-3, 0x1.99a7b5b96e4ccp-2, 0x1.d2c984a364512p-2}, {0x1.5393b35222498p-3, -0x1.1350121f9e604p-2, 0x1.f7562895bbd36p-2}}}, &(const shape_recipe){.type = TACT_SEGMENT, .count = 2, .points = {{0x1.dcc5c76673264p-3, -0x1.dc535ae0103cp-4, -0x1.08a560393086p-4}, {0x1.3a2cd612c25bap-2, 0x1.b688fa5022e84p-3, 0x1.f4bfa4537639ep-2}}}}, .at = {{-0x1.a03eef57595adp-5, 0x1.7bd6ac36f6ebp-6, 0x1.69dd82abbb902p-5}, {0x1.4230bf41cf2e5p-5, 0x1.73c2b121a6dadp-6, 0x1.110d690681c9bp-5}, {-0x1.038b80b011449p-6, 0x1.e4e13cf3a6652p-3, -0x1.23ccd6e254f6p-3}, {0x1.0e1b3fa4a45f3p+24, -0x1.45e3315637e43p+23, -0x1.4dfe9db9cc444p+23}}},
     4125.4369068918249},
    {"cylinder and point: a gain within rounding counted as progress",
     {.type = TACT_CYLINDER, .radius = 0x1.8125536461b48p-1, .height = 0x1.fff2c989401a7p-3, .at = {{-0x1.c8153a02a567p-2, -0x1.2033a5316dedfp-1, 0x1.647be8345913p-1}, {-0x1.9d6004d34957ep-1, -0x1.568c01aab663p-4, -0x1.2b0d1d3554e0bp-1}, {0x1.8c4b253b66d64p-2, -0x1.a502d75d74bcp-1, -0x1.ab3b0dac24ef4p-2}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_POINT, .count = 1, .points = {{0x1.f1911a4c0a9d6p-2, 0x1.a91305d06fbecp-2, -0x1.6898f269750b4p-3}}, .at = {{-0x1.c65edb7e2f13cp-7, -0x1.e2d7fa481191fp-13, -0x1.8f1b909be6b0fp-7}, {-0x1.6b1e53c19cb85p+7, 0x1.0ec196f2013aep+6, 0x1.9ad6c5e5ce10cp+7}, {0x1.315cd9b8c461cp-3, 0x1.f108448eeaa03p-1, -0x1.813a27850d97p-3}, {0x1.2dabf7e7b2b35p+6, -0x1.b95f2d80fd16bp+4, -0x1.56588908f87c2p+6}}},
     1.9536630993521875e-11},
    {"ellipsoid and custom box: points were preferred to the normal",
     {.type = TACT_ELLIPSOID, .size = {0x1.55ad0c25a1f13p-1, 0x1.1a9b4336208f1p-3, 0x1.a81d1edb1071bp-3}, .at = {{0x1.d519cd1652ae7p-13, -0x1.3e82bd60ff207p-14, -0x1.5732bc801ffb7p-14}, {0x1.4f178725a440ep-4, 0x1.daea56099f9a2p-3, 0x1.144889d75b848p-7}, {0x1.af731ca9fae44p-12, -0x1.93d19269fe93dp-13, 0x1.55b5c3257d3a6p-10}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_BOX, .custom = true, .margin = 0x1.8e60ed75daabfp-4, .size = {0x1.8a0436a30804p-2, 0x1.03b8875fe2d72p-2, 0x0p+0}, .at = {{-0x1.1256857153ae9p-11, -0x1.d38fbef604313p-9, -0x1.fe6c83bc83b9fp-8}, {-0x1.206d6330e4335p-8, -0x1.af647efb5c2d8p-8, 0x1.b1ec0dced0487p-9}, {-0x1.e1a8c7ba9df47p-8, 0x1.12f888599b003p-8, -0x1.7652677f67336p-10}, {0x1.84897380b0ba9p-4, -0x1.8524ae1951743p-6, 0x1.066f3f190dcdfp-7}}},
     1.0620144087064576e-12},
    {"capsule and custom ellipsoid: points were preferred to the normal",
     {.type = TACT_CAPSULE, .radius = 0x1.1d331261ed855p-3, .height = 0x1.05d1768b2b433p-1, .at = {{0x1.e5ec0c3370d52p-7, 0x0p+0, 0x0p+0}, {0x0p+0, 0x1.1a9f00b7146b2p+9, 0x0p+0}, {0x0p+0, 0x0p+0, 0x1.6cbced3b32937p-1}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_ELLIPSOID, .custom = true, .size = {0x1.630ef44bef2c1p-1, 0x1.7947594af7c3bp-3, 0x1.47dceaec5ebfbp-1}, .at = {{0x1.ae4b7bfc2d822p+11, 0x1.a1950780ce983p+10, 0x1.868ce6c03a0a5p+8}, {0x1.7d50c57a68732p+2, -0x1.f3d7cdf2da03dp+3, 0x1.c946d72eb281fp+3}, {0x1.d2dded0d0910ap+0, -0x1.6d074bef770f7p+1, -0x1.f055fae98e634p+1}, {0x1.9faa0507ad2ccp-2, 0x1.6c0977cda5236p+7, -0x1.d52b626de3be1p+1}}},
     3.6100776601172974e-08},
};

/* Bodies that were moved apart along a known normal, to a gap in which the direction between their points is mostly
 * rounding. */
static const struct {
    story s;
    tact_vec3 normal;
} gaps[] = {
    {{"cylinder and segment: points that were not refined, so that EPA replaced the normal",
     {.type = TACT_CYLINDER, .radius = 0x1.af0f0c7b912c8p-2, .height = 0x1.f76ca9a2fbf32p-1, .at = {{0x1p+0, 0x0p+0, 0x0p+0}, {0x0p+0, 0x1p+0, 0x0p+0}, {0x0p+0, 0x0p+0, 0x1p+0}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_SEGMENT, .count = 2, .points = {{-0x1.32474100ffa8ap-2, -0x1.53d98e3464386p-2, -0x1.88fcc15d01d68p-2}, {0x1.5e7aebc46dbaep-2, -0x1.d7e1835f92f5p-2, 0x1.12ca5d720a3dcp-2}}, .at = {{0x1.2e7a2c5f4086ep+9, 0x0p+0, 0x0p+0}, {0x0p+0, 0x1.a42672d4081adp+9, 0x0p+0}, {0x0p+0, 0x0p+0, 0x1p+0}, {-0x1.9d807f00adcf3p+3, 0x1.4d9518c29c492p+8, -0x1.173682cc4ba1bp-2}}},
     -1.3273039608937155e-11}, {0x1.0534e05b9f7e6p-2, 0x1.d2b5f4aedcad8p-1, -0x1.4a427386c19dfp-2}},
    {{"cone and polygon: points that were not refined after the depth had converged",
     {.type = TACT_CONE, .radius = 0x1.07b535ed89c4fp-1, .height = 0x1.c44975cae08b7p-4, .at = {{0x1.740dbbfeeef3ep-2, -0x1.30a5c3ec7fdb7p-1, 0x1.7fad24aedbae6p+0}, {0x1.0176ca53f790ap-2, 0x1.89d61ad919fe5p+0, 0x1.1981b77fa2719p-1}, {-0x1.97c233ee29c09p+0, 0x1.b6c02552f31dap-4, 0x1.b6f41f2c14d9bp-2}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_POLYGON, .count = 6, .points = {{-0x1.20b56058a1a2bp-1, 0x1p-2, 0x1.a6d65ac32211p-1}, {0x1.ee1f368c17eeap-1, 0x1p-2, -0x1.0c3c31ef34c39p-2}, {0x1.ecf10d56e693ap-1, 0x1p-2, 0x1.14c91e24acbfep-2}, {-0x1.bd7bc56a0ba5bp-2, 0x1p-2, -0x1.cd028808a28bfp-1}, {-0x1.ffff3a9b841c2p-1, 0x1p-2, 0x1.c19685173c46fp-9}, {0x1.ffff81141e8bap-1, 0x1p-2, -0x1.68827eb5d6e8cp-9}}, .at = {{-0x1.e959ee8609426p-3, -0x1.0a29903997ad8p-2, -0x1.57b5950becb6dp-3}, {0x1.2cffbdb2f02afp-3, 0x1.75b9e78e0befdp-4, -0x1.66f998e35bfedp-2}, {0x1.16cb5e967e4a9p-2, -0x1.1c06a4a9f00a8p-2, 0x1.57ad5457d17b8p-5}, {0x1.310c861a17aep-1, -0x1.70d4616c83f35p-5, -0x1.304c64a3a8f27p-1}}},
     -1.6239752519578618e-14}, {0x1.0115d317ade14p-1, 0x1.69b3bb9fa5a7ap-3, -0x1.b171deb0dc08fp-1}},
    {{"cone and segment: points that were refined only once",
     {.type = TACT_CONE, .radius = 0x1.b0e5071e294bdp-3, .height = 0x1.5bbbd6b154135p-3, .at = {{-0x1.b51dca867a49dp-7, -0x1.729a2671249aep-4, -0x1.1cfb7946d4cedp-4}, {-0x1.1536349ebce8ap-7, -0x1.1aec25166de1cp-4, 0x1.76912e6efb75cp-4}, {-0x1.d238100917ad8p-4, 0x1.01d8a75b1b01fp-6, 0x1.63d0f461d10cfp-10}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_SEGMENT, .count = 2, .points = {{0x1.41c350d7d15b4p-2, 0x1.666d58d539bb8p-3, 0x1.847e9323d3d88p-3}, {-0x1.b49d8cb3417fp-3, -0x1.9cdd472eb5582p-2, 0x1.6e3174d471d2p-5}}, .at = {{0x1.5e704eb33bc8fp+3, 0x1.02f5d20c472c5p+5, -0x1.185d474717407p+4}, {0x1.37b378438e88bp+4, -0x1.49bca5e046e41p+4, -0x1.9e52b78760781p+4}, {-0x1.f3b02aabdcd2dp+4, -0x1.813069e19536p+0, -0x1.64c34ffd62299p+4}, {0x1.53c7d9f7888d9p+2, -0x1.e6f477e5610a1p+1, 0x1.0db9627279125p-1}}},
     -3.2660370427225316e-12}, {-0x1.d1c7c0905324bp-1, 0x1.2dc2cb4c7f794p-3, -0x1.8d7feba4a8bd1p-2}},
    {{"cone and custom cylinder: a normal along points that are close beside rounding",
     {.type = TACT_CONE, .radius = 0x1.830f8b9805231p-1, .height = 0x1.80ad6b7c76ff5p-3, .at = {{-0x1.96e71476b7e4bp-9, -0x1.7f1e513a703e6p-13, 0x1.4d8bdefcf2881p-8}, {-0x1.33384d6175a1ep-10, 0x1.13c68f9f45944p-10, -0x1.62fd1a044af6ep-11}, {-0x1.28e8cb3682cf2p-7, -0x1.c9e7687f1bae2p-7, -0x1.8b149bdbb20dfp-8}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_CYLINDER, .custom = true, .radius = 0x1.9e68506549e89p-1, .height = 0x1.2a03bc4f191e8p-1, .at = {{0x1.c7aaecb1e2521p-7, -0x1.abd89eceb47b2p-6, 0x1.b02612ff340d1p-9}, {-0x1.89d7c804048d9p+7, -0x1.84610ec5862c5p+6, 0x1.ec3c73013565dp+5}, {-0x1.0f6ca37a50d08p+2, -0x1.3d76c8ebf8a72p+2, -0x1.56690e2d9f4e6p+4}, {-0x1.d35ac29c26fa5p-7, 0x1.aaaf34ce1281cp-6, -0x1.257db119d6ce8p-12}}},
     -2.9413249190950032e-13}, {-0x1.de58207544e96p-2, 0x1.c1235898c5776p-1, -0x1.c5a808a79fbf9p-4}},
    {{"point and segment: a tiny gap, in which the direction between the points is rounding",
     {.type = TACT_POINT, .count = 1, .points = {{-0x1.3fffafbef1d34p-2, -0x1.4b5265f058a52p-2, -0x1.fa457f4844a14p-3}}, .at = {{-0x1.bc42fc169a75p-1, -0x1.5ce86a926e2f8p-2, -0x1.72a0f02b99aa3p-2}, {-0x1.b6ec7f8dbbd12p-4, -0x1.2a62f923f431cp-1, 0x1.9c6e4c55772dap-1}, {-0x1.f10d80a61c193p-2, 0x1.79b9497a0b6f2p-1, 0x1.e06e3bcb488ep-2}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_SEGMENT, .count = 2, .points = {{0x1.a5df8e4401b98p-3, 0x1.c7a00b869e46ap-2, -0x1.2101d9793b28p-4}, {-0x1.3807ae8840bfp-2, -0x1.e6ddd3601ebbp-2, -0x1.fc7813cb642fcp-2}}, .at = {{0x1.2309ca9c41891p-4, 0x1.29e44a3ad998fp-4, -0x1.e81c18320469cp-6}, {-0x1.e67b547cfebcdp-4, 0x1.d492380f2beacp-6, -0x1.b526c167b088dp-3}, {-0x1.2049124a6a052p-1, 0x1.6f88c40eb0d24p-1, 0x1.a34dfaee24404p-2}, {0x1.1249431d24fbdp-2, 0x1.47edfda413111p-2, -0x1.378d80fb49aa7p-3}}},
     -8.5075525486848051e-14}, {-0x1.964ed4e2d8d7cp-5, 0x1.df838e361e3c5p-5, 0x1.fe7dab51cdd6dp-1}},
    {{"tetrahedron and cone: the same, curved",
     {.type = TACT_TETRAHEDRON, .count = 4, .points = {{-0x1.029e4506ba974p-2, 0x1.268112676c044p-3, -0x1.a45194e56c42ep-2}, {0x1.ba6524f62b542p-2, 0x1.d745200d00c52p-2, -0x1.5ad74408f9b64p-2}, {0x1.ba6524f62b542p-2, 0x1.d745200d00c52p-2, -0x1.5ad74408f9b64p-2}, {-0x1.c85f5afa7270cp-3, -0x1.b8b8cf9685718p-2, -0x1.24c2d4f1eb96cp-3}}, .at = {{-0x1.41f659f6a0ecep+6, -0x1.80ceb8a8f3fe9p+6, -0x1.7468807827dd7p+4}, {-0x1.2673f666d7ee4p+6, 0x1.310b7cbe16632p+5, 0x1.83dd514f1f1c8p+6}, {-0x1.08a7abee5f41bp+6, 0x1.2a6fdd93a7fd9p+6, -0x1.3e45debb65049p+6}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_CONE, .radius = 0x1.58fecd204faf7p-3, .height = 0x1.b27b35c856399p-2, .at = {{0x1.b33a2e0b54687p-15, 0x0p+0, 0x0p+0}, {0x0p+0, 0x1.327463d18f3d3p-2, 0x0p+0}, {0x0p+0, 0x0p+0, 0x1.92ca97ee344c8p-7}, {-0x1.f37abcbd6749p+1, -0x1.facb3cad6e531p+4, 0x1.aaab7d3301184p+4}}},
     -3.3110116975465542e-12}, {-0x1.23ff1256f853fp-1, 0x1.85822f66222e4p-1, -0x1.3d455ed225c48p-2}},
    {{"tetrahedron and hull: points found at a gap that is wide beside the bodies",
     {.type = TACT_TETRAHEDRON, .count = 4, .points = {{0x1.cdd97d9a45618p-3, 0x1.84505466dbfdcp-2, -0x1.ce3be0a7fe83p-2}, {0x1.5f7ae5e95854p-4, -0x1.5aec3dde8c708p-3, 0x1.0c7da6bad3364p-3}, {0x1.c95918f00d7cp-4, -0x1.a23f3304dbe6ap-2, 0x1.ac1636413ce34p-3}, {-0x1.8308213a272p-10, -0x1.224e982baccfp-2, 0x1.9265863639954p-3}}, .at = {{0x1.d81613184dfc1p+11, -0x1.46b57c18fd2cep+12, 0x1.20aa314a8d9d3p+11}, {-0x1.43534ad6b7d3dp+0, -0x1.85b4ee57a5f25p+0, -0x1.615d5146d37fdp+0}, {0x1.b2bc2e00f35e2p+2, 0x1.7422d36cc2f47p+0, -0x1.f46182d64c73cp+2}, {0x0p+0, 0x0p+0, 0x0p+0}}},
     {.type = TACT_HULL, .count = 10, .points = {{0x1.b0491d1766c0cp-2, -0x1.4697e73cafe78p-2, -0x1.e2916d49563a6p-2}, {0x1.92310f46fc4ccp-2, 0x1.eb88527ef3712p-2, -0x1.b8d43f8f1633cp-3}, {0x1.87589207436a4p-3, 0x1.819081f0e6ebcp-3, 0x1.db57a9f30867p-2}, {0x1.87589207436a4p-3, 0x1.819081f0e6ebcp-3, 0x1.db57a9f30867p-2}, {-0x1.00776b2d0d5ap-6, 0x1.8369c35530a9p-2, 0x1.1536d1736dbep-2}, {0x1.39263df53aa8ap-2, -0x1.54e9817b94b9p-2, -0x1.d6f7b7077704p-7}, {0x1.0f52895c0a9f4p-2, 0x1.63e5318481f4cp-2, -0x1.6258bc2dd92fap-2}, {0x1.d1833a66e129p-2, 0x1.c63d1f14ed8d4p-2, 0x1.3eea176c69fccp-3}, {-0x1.c487ec18bbb18p-4, -0x1.929276616353cp-3, 0x1.fc995fbfe11b8p-2}, {0x1.0a9392acd864cp-2, -0x1.03a44e75ea0aap-2, -0x1.2ad5be0939fb8p-2}}, .at = {{-0x1.644355f79c32ap+2, 0x1.34dab652bbb6ep+3, -0x1.f587c71528f02p+0}, {-0x1.2260476450f6fp+2, -0x1.20ad99bb3db8cp+2, -0x1.2a8fa1cc59562p+3}, {-0x1.17b791978ea2dp+3, -0x1.e711b1a246baap+1, 0x1.85c905f87dbfap+2}, {0x1.3e41e354bd9edp+7, -0x1.9fe5d27aab62fp+7, 0x1.6afa63fdbbaa5p+6}}},
     -2.690092090115444e-10}, {0x1.9ec4d39a1dd61p-1, 0x1.93455a8e13031p-2, -0x1.bcc3cc84dc4b1p-2}},
};
/* clang-format on */

#define STORIES ((int)(sizeof stories / sizeof *stories))
#define GAPS ((int)(sizeof gaps / sizeof *gaps))

/* Relative to the largest coordinate: the allowed error besides 1e-6 of the depth. */
static const double points_rounding = 1e-11, corners_rounding = 1.5e-14, depth_rounding = 1e-14,
                    normal_rounding = 1e-12;

static bool is_polytope(const shape_recipe *t)
{
    return !t->custom && t->type != TACT_SPHERE && t->type != TACT_CAPSULE && t->type != TACT_CYLINDER &&
           t->type != TACT_CONE && t->type != TACT_ELLIPSOID && t->parts[0] == NULL;
}

static tact_vec3 recipe_support(void *context, tact_vec3 n)
{
    const shape_recipe *t = context;
    tact_vec3 unit = vec_normalize(n), best = {0.0, 0.0, 0.0};
    double most = -INFINITY;
    if (t->type == TACT_SPHERE)
        return vec_scale(unit, t->radius);
    if (t->type == TACT_BOX)
        return vec_make(copysign(0.5 * t->size.x, n.x), copysign(0.5 * t->size.y, n.y), copysign(0.5 * t->size.z, n.z));
    if (t->type == TACT_ELLIPSOID) {
        best = vec_normalize(vec_make(t->size.x * unit.x, t->size.y * unit.y, t->size.z * unit.z));
        return vec_make(t->size.x * best.x, t->size.y * best.y, t->size.z * best.z);
    }
    if (t->type == TACT_CYLINDER) {
        best = vec_scale(vec_normalize(vec_make(n.x, 0.0, n.z)), t->radius);
        best.y = copysign(0.5 * t->height, n.y);
        return best;
    }
    for (int i = 0; i < t->count; i++)
        if (vec_dot(t->points[i], unit) > most) {
            most = vec_dot(t->points[i], unit);
            best = t->points[i];
        }
    return best;
}

static tact_shape *make(shape_recipe *t)
{
    tact_shape_def def = tact_shape_def_default();
    tact_shape *parts[2] = {NULL, NULL};
    for (int i = 0; i < 2 && t->parts[i] != NULL; i++) {
        shape_recipe part = *t->parts[i];
        assert_false(part.custom); /* its numbers would be lost */
        def.parts[i] = parts[i] = make(&part);
        if (t->type == TACT_TRANSFORMED)
            def.transform = part.at;
    }
    def.type = t->type;
    def.radius = t->radius;
    def.height = t->height;
    def.size = t->size;
    def.points = t->points;
    def.point_count = (size_t)t->count;
    def.margin = t->margin;
    if (t->custom) {
        def.type = TACT_CUSTOM;
        def.support = recipe_support;
        def.support_context = t;
        def.support_radius = t->radius + t->height + 2.0 * vec_max_abs(t->size);
        for (int i = 0; i < t->count; i++)
            def.support_radius = fmax(def.support_radius, 1.01 * vec_length(t->points[i]));
    }
    tact_shape *shape = tact_shape_create(&def, NULL);
    assert_non_null(shape);
    tact_shape_release(parts[0]);
    tact_shape_release(parts[1]);
    return shape;
}

static double largest_of(const tact_shape *shape, tact_transform at)
{
    tact_bounds box;
    assert_int_equal(tact_shape_bounds(shape, at, &box), TACT_OK);
    return fmax(vec_max_abs(box.min), vec_max_abs(box.max));
}

static double off(const tact_shape *shape, tact_transform at, tact_vec3 p)
{
    tact_closest c = tact_shape_closest(shape, at, p);
    assert_int_equal(c.status, TACT_OK);
    return c.distance;
}

/* Whether depth and common point of the pair are right in every respect; prints where not. */
static bool is_right(const char *what, const tact_shape *a, tact_transform transform_a, const tact_shape *b,
                     tact_transform transform_b, double depth, double points)
{
    tact_penetration d = tact_shapes_penetration(a, transform_a, b, transform_b);
    double big = fmax(largest_of(a, transform_a), largest_of(b, transform_b)), slack = 1e-6 * fabs(depth);
    tact_vec3 top, bottom;
    assert_int_equal(tact_shape_support(a, transform_a, d.normal, &top), TACT_OK);
    assert_int_equal(tact_shape_support(b, transform_b, vec_negate(d.normal), &bottom), TACT_OK);
    double error = fabs(d.depth - depth), left = vec_dot(d.normal, vec_sub(top, bottom)) - d.depth;
    double off_a = off(a, transform_a, d.on_a), off_b = off(b, transform_b, d.on_b);
    double apart = vec_length(vec_mul_add(vec_sub(d.on_a, d.on_b), -d.depth, d.normal));
    tact_common_point common = tact_shapes_common_point(a, transform_a, b, transform_b, NULL);
    bool clear = fabs(depth) > normal_rounding * big, state = common.state == (depth < 0.0 ? TACT_MISS : TACT_HIT);
    if (clear && depth < 0.0)
        points = corners_rounding;
    /* Apart, the points are checked, and the normal is along them. */
    bool right = d.status == TACT_OK && error <= slack + depth_rounding * big &&
                 (d.depth <= 0.0 || left <= slack + normal_rounding * big) &&
                 fmax(off_a, off_b) <= slack + points * big && apart <= slack + points * big && (state || !clear);
    if (!right)
        print_error("%s\n  status %d, depth %.17g wrong by %.3g, overlap left %.3g, points off by %.3g and %.3g, apart "
                    "by %.3g more, common point %d, of size %.3g\n",
                    what, (int)d.status, d.depth, error, left, off_a, off_b, apart, (int)common.state, big);
    return right;
}

/* Whether the answers for a story are right, as it is and rotated. */
static bool story_is_right(story s, random_source *r)
{
    int wrong = 0;
    tact_shape *a = make(&s.a), *b = make(&s.b);
    double points = is_polytope(&s.a) && is_polytope(&s.b) ? corners_rounding : points_rounding;
    wrong += !is_right(s.what, a, s.a.at, b, s.b.at, s.depth, points);
    for (int turns = 0; turns < (quick_form() ? 1 : 4); turns++) {
        /* About the origin of A, so that the rounding error of the rotation is small. */
        tact_transform transform_a = s.a.at, transform_b = s.b.at,
                       turn = tact_transform_make(vec_make(0.0, 0.0, 0.0), random_rotation(r), vec_make(1.0, 1.0, 1.0));
        transform_b.origin = vec_sub(transform_b.origin, transform_a.origin);
        transform_a.origin = vec_make(0.0, 0.0, 0.0);
        transform_a = tact_transform_compose(turn, transform_a);
        transform_b = tact_transform_compose(turn, transform_b);
        /* the rounding error of the rotation itself */
        double depth = tact_shapes_penetration(a, transform_a, b, transform_b).depth;
        bool same = fabs(depth - s.depth) <= 1e-6 * fabs(s.depth) + depth_rounding * largest_of(a, transform_a) +
                                                 depth_rounding * largest_of(b, transform_b);
        wrong += !same || !is_right(s.what, a, transform_a, b, transform_b, depth, points);
        if (!same)
            print_error("%s\n  turned: depth %.17g, was %.17g\n", s.what, depth, s.depth);
    }
    tact_shape_release(a);
    tact_shape_release(b);
    return wrong == 0;
}

static void earlier_failures_are_right(void **state)
{
    (void)state;
    random_source r = random_seed(7);
    int wrong = 0;
    for (int i = 0; i < STORIES; i++)
        wrong += !story_is_right(stories[i], &r);
    assert_int_equal(wrong, 0);
}

static void normals_of_tiny_gaps_are_right(void **state)
{
    (void)state;
    random_source r = random_seed(8);
    int wrong = 0;
    for (int i = 0; i < GAPS; i++) {
        story s = gaps[i].s;
        wrong += !story_is_right(s, &r);
        tact_shape *a = make(&s.a), *b = make(&s.b);
        const tact_penetration d = tact_shapes_penetration(a, s.a.at, b, s.b.at);
        const double off_normal = vec_length(vec_sub(d.normal, gaps[i].normal));
        wrong += off_normal > 1e-4;
        if (off_normal > 1e-4)
            print_error("%s\n  the normal is off by %.3g\n", s.what, off_normal);
        tact_shape_release(a);
        tact_shape_release(b);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(earlier_failures_are_right),
                                       cmocka_unit_test(normals_of_tiny_gaps_are_right)};
    return cmocka_run_group_tests_name("depth cases", tests, NULL, NULL);
}
