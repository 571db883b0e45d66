-- SPDX-License-Identifier: CC0-1.0
-- Licence CC0, public domain. Written for this project; every person and value is invented.
-- MariaDB dump 10.19  Distrib 10.6.12-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: farmcoop
-- ------------------------------------------------------

/*!40101 SET NAMES utf8mb4 */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;

DROP TABLE IF EXISTS `farms`;
CREATE TABLE `farms` (
  `farmId` int unsigned NOT NULL AUTO_INCREMENT,
  `farmName` varchar(80) NOT NULL,
  `ownerName` varchar(80) NOT NULL,
  `hectares` decimal(7,2) NOT NULL COMMENT 'total farmed area',
  `organicSince` year DEFAULT NULL,
  `memberStatus` enum('candidate','member','former') NOT NULL DEFAULT 'candidate',
  PRIMARY KEY (`farmId`),
  CONSTRAINT `chk_hectares` CHECK (`hectares` > 0)
) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4;

INSERT INTO `farms` VALUES
(1,'Hazelbank','Morwenna Tregear',48.50,2009,'member'),
(2,'Three Oaks','Gideon Pascoe',112.00,NULL,'member'),
(3,'Windy Ridge','Leocadia Bram',23.75,2018,'member'),
(4,'Marsh End','Tamsin Rook',67.20,NULL,'candidate');

DROP TABLE IF EXISTS `fields`;
CREATE TABLE `fields` (
  `fieldId` int unsigned NOT NULL AUTO_INCREMENT,
  `farmId` int unsigned NOT NULL,
  `fieldName` varchar(40) NOT NULL,
  `soilType` enum('clay','loam','sand','peat') DEFAULT NULL,
  `areaHa` decimal(6,2) NOT NULL,
  PRIMARY KEY (`fieldId`),
  UNIQUE KEY `farm_field` (`farmId`,`fieldName`),
  CONSTRAINT `fields_farm` FOREIGN KEY (`farmId`) REFERENCES `farms` (`farmId`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO `fields` VALUES (1,1,'Church Field','loam',12.40),(2,1,'Long Acre','clay',9.10),(3,2,'Home Field','loam',31.00),(4,2,'Quarry Piece','sand',18.60),(5,3,'Top Terrace','sand',6.25),(6,4,'The Levels','peat',40.00);

DROP TABLE IF EXISTS `cropFamilies`;
CREATE TABLE `cropFamilies` (
  `familyCode` char(3) NOT NULL,
  `familyName` varchar(40) NOT NULL,
  `restYears` tinyint NOT NULL DEFAULT 3 COMMENT 'years before the family may return to a field',
  PRIMARY KEY (`familyCode`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO `cropFamilies` VALUES ('BRA','Brassicas',4),('LEG','Legumes',3),('SOL','Nightshades',4),('CER','Cereals',1);

DROP TABLE IF EXISTS `crops`;
CREATE TABLE `crops` (
  `cropId` smallint unsigned NOT NULL AUTO_INCREMENT,
  `cropName` varchar(40) NOT NULL,
  `familyCode` char(3) NOT NULL,
  `daysToHarvest` smallint unsigned DEFAULT NULL,
  PRIMARY KEY (`cropId`),
  UNIQUE KEY `cropName` (`cropName`),
  KEY `familyCode` (`familyCode`),
  CONSTRAINT `crops_family` FOREIGN KEY (`familyCode`) REFERENCES `cropFamilies` (`familyCode`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO `crops` VALUES (1,'Potato','SOL',110),(2,'Broad bean','LEG',95),(3,'Savoy cabbage','BRA',130),(4,'Spring barley','CER',120),(5,'Tomato','SOL',80);

DROP TABLE IF EXISTS `plantings`;
CREATE TABLE `plantings` (
  `plantingId` int unsigned NOT NULL AUTO_INCREMENT,
  `fieldId` int unsigned NOT NULL,
  `cropId` smallint unsigned NOT NULL,
  `sownOn` date NOT NULL,
  `harvestedOn` date DEFAULT NULL,
  `followsPlantingId` int unsigned DEFAULT NULL COMMENT 'the crop that stood here before',
  PRIMARY KEY (`plantingId`),
  KEY `fieldId` (`fieldId`),
  CONSTRAINT `plantings_field` FOREIGN KEY (`fieldId`) REFERENCES `fields` (`fieldId`),
  CONSTRAINT `plantings_crop` FOREIGN KEY (`cropId`) REFERENCES `crops` (`cropId`),
  CONSTRAINT `plantings_follows` FOREIGN KEY (`followsPlantingId`) REFERENCES `plantings` (`plantingId`) ON DELETE SET NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO `plantings` VALUES (1,1,2,'2022-03-12','2022-06-20',NULL),(2,1,3,'2022-07-01','2022-11-14',1),(3,2,1,'2023-04-08','2023-08-02',NULL),(4,3,4,'2023-03-20','2023-08-11',NULL),(5,5,5,'2023-05-15','2023-09-30',NULL),(6,3,2,'2024-03-05',NULL,4);

DROP TABLE IF EXISTS `deliveries`;
CREATE TABLE `deliveries` (
  `deliveryNo` varchar(12) NOT NULL,
  `plantingId` int unsigned NOT NULL,
  `deliveredAt` datetime NOT NULL DEFAULT current_timestamp(),
  `weightKg` decimal(9,1) NOT NULL,
  `grade` enum('A','B','processing') NOT NULL,
  `pricePerKg` decimal(6,3) NOT NULL,
  PRIMARY KEY (`deliveryNo`),
  KEY `plantingId` (`plantingId`),
  CONSTRAINT `deliveries_planting` FOREIGN KEY (`plantingId`) REFERENCES `plantings` (`plantingId`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO `deliveries` VALUES ('D-2022-0031','1','2022-06-21 07:30:00',1850.0,'A',0.920),('D-2022-0078','2','2022-11-15 08:10:00',4200.5,'A',0.410),('D-2023-0012','3','2023-08-03 06:55:00',8120.0,'B',0.280),('D-2023-0013','3','2023-08-04 07:05:00',2100.0,'processing',0.110),('D-2023-0020','4','2023-08-12 17:40:00',15300.0,'A',0.205),('D-2023-0044','5','2023-10-01 09:00:00',960.4,'A',1.850);

DROP TABLE IF EXISTS `machines`;
CREATE TABLE `machines` (
  `machineId` int unsigned NOT NULL AUTO_INCREMENT,
  `machineType` varchar(40) NOT NULL,
  `purchasePrice` decimal(10,2) DEFAULT NULL,
  `keptAtFarmId` int unsigned DEFAULT NULL,
  PRIMARY KEY (`machineId`),
  CONSTRAINT `machines_farm` FOREIGN KEY (`keptAtFarmId`) REFERENCES `farms` (`farmId`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO `machines` VALUES (1,'Potato harvester',38500.00,2),(2,'Seed drill',12750.00,1),(3,'Combine harvester',149000.00,2);

DROP TABLE IF EXISTS `machineBookings`;
CREATE TABLE `machineBookings` (
  `machineId` int unsigned NOT NULL,
  `farmId` int unsigned NOT NULL,
  `bookedFor` date NOT NULL,
  `hours` decimal(4,1) NOT NULL DEFAULT 8.0,
  PRIMARY KEY (`machineId`,`farmId`,`bookedFor`),
  CONSTRAINT `machineBookings_machine` FOREIGN KEY (`machineId`) REFERENCES `machines` (`machineId`) ON DELETE CASCADE,
  CONSTRAINT `machineBookings_farm` FOREIGN KEY (`farmId`) REFERENCES `farms` (`farmId`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

INSERT INTO `machineBookings` VALUES (1,1,'2023-08-02',6.5),(1,2,'2023-08-05',8.0),(3,2,'2023-08-11',10.0),(2,3,'2024-03-04',4.0);
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
